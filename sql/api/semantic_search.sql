-- Passages by meaning: the semantic leg of rag.search alone.
create or replace function rag.semantic_search(
    query            text,
    collections      text[]                    default null,
    top_k            integer                   default 10,
    filter           jsonb                     default null,
    filter_path      jsonpath                  default null,
    vars             jsonb                     default null,
    skip             integer                   default 0,
    query_vector     @extschema:vector@.vector default null,
    min_score        double precision          default null,
    min_updated_at   timestamptz               default null,
    max_updated_at   timestamptz               default null,
    as_of            timestamptz               default null,
    include_archived boolean                   default null,
    highlight        boolean                   default null,
    token            text                      default null
) returns setof rag.hit
language sql volatile parallel unsafe
begin atomic
    select h.*
    from rag_internal.caller c,
         lateral rag_internal.search(
             c.who, c.ticket, semantic_search.token,
             rag_internal.search_request(
                 query => semantic_search.query, strategy => 'semantic',
                 collections => semantic_search.collections, top_k => semantic_search.top_k,
                 filter => semantic_search.filter, filter_path => semantic_search.filter_path,
                 vars => semantic_search.vars, skip => semantic_search.skip,
                 query_vector => semantic_search.query_vector,
                 min_score => semantic_search.min_score,
                 min_updated_at => semantic_search.min_updated_at,
                 max_updated_at => semantic_search.max_updated_at, as_of => semantic_search.as_of,
                 include_archived => semantic_search.include_archived,
                 highlight => semantic_search.highlight)) h;
end;

comment on function rag.semantic_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    @extschema:vector@.vector, double precision, timestamptz, timestamptz, timestamptz, boolean,
    boolean, text) is
    'The top_k passages nearest to the query by vector; score is the similarity (cosine 1 - d, L2 '
    '1 / (1 + d), inner product -d). With query_vector the query may be null. Arguments as in '
    'rag.search.';
alter function rag.semantic_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    @extschema:vector@.vector, double precision, timestamptz, timestamptz, timestamptz, boolean,
    boolean, text) owner to rag_owner;
revoke all on function rag.semantic_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    @extschema:vector@.vector, double precision, timestamptz, timestamptz, timestamptz, boolean,
    boolean, text) from public;
grant execute on function rag.semantic_search(text, text[], integer, jsonb, jsonpath, jsonb,
    integer, @extschema:vector@.vector, double precision, timestamptz, timestamptz, timestamptz,
    boolean, boolean, text) to rag_reader;
