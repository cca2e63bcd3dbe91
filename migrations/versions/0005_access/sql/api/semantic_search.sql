-- Passages by meaning: the semantic leg of rag.search alone.
create or replace function rag.semantic_search(
    query        text,
    collections  text[]                    default null,
    top_k        integer                   default 10,
    filter       jsonb                     default null,
    filter_path  jsonpath                  default null,
    vars         jsonb                     default null,
    skip         integer                   default 0,
    query_vector @extschema:vector@.vector default null,
    token        text                      default null
) returns setof rag.hit
language sql volatile parallel unsafe
begin atomic
    select h.*
    from rag_internal.caller c,
         lateral rag_internal.search(
             c.who, c.ticket, semantic_search.token, semantic_search.query,
             semantic_search.collections, semantic_search.top_k, 'semantic',
             semantic_search.filter, semantic_search.filter_path, semantic_search.vars, null, 60,
             semantic_search.skip, false, semantic_search.query_vector) h;
end;

comment on function rag.semantic_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    @extschema:vector@.vector, text) is
    'The top_k passages nearest to the query by vector; score is the similarity (cosine 1 - d, L2 '
    '1 / (1 + d), inner product -d). With query_vector the query may be null. Arguments as in '
    'rag.search.';
alter function rag.semantic_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    @extschema:vector@.vector, text) owner to rag_owner;
revoke all on function rag.semantic_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    @extschema:vector@.vector, text) from public;
grant execute on function rag.semantic_search(text, text[], integer, jsonb, jsonpath, jsonb,
    integer, @extschema:vector@.vector, text) to rag_reader;
