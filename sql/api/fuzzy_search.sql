-- Passages by likeness of words: the fuzzy leg of rag.search alone.
create or replace function rag.fuzzy_search(
    query            text,
    collections      text[]           default null,
    top_k            integer          default 10,
    filter           jsonb            default null,
    filter_path      jsonpath         default null,
    vars             jsonb            default null,
    skip             integer          default 0,
    max_distance     integer          default null,
    min_score        double precision default null,
    min_updated_at   timestamptz      default null,
    max_updated_at   timestamptz      default null,
    as_of            timestamptz      default null,
    include_archived boolean          default null,
    highlight        boolean          default null,
    token            text             default null
) returns setof rag.hit
language sql volatile parallel unsafe
begin atomic
    select h.*
    from rag_internal.caller c,
         lateral rag_internal.search(
             c.who, c.ticket, fuzzy_search.token,
             rag_internal.search_request(
                 query => fuzzy_search.query, strategy => 'fuzzy',
                 collections => fuzzy_search.collections, top_k => fuzzy_search.top_k,
                 filter => fuzzy_search.filter, filter_path => fuzzy_search.filter_path,
                 vars => fuzzy_search.vars, skip => fuzzy_search.skip,
                 max_distance => fuzzy_search.max_distance, min_score => fuzzy_search.min_score,
                 min_updated_at => fuzzy_search.min_updated_at,
                 max_updated_at => fuzzy_search.max_updated_at, as_of => fuzzy_search.as_of,
                 include_archived => fuzzy_search.include_archived,
                 highlight => fuzzy_search.highlight)) h;
end;

comment on function rag.fuzzy_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    integer, double precision, timestamptz, timestamptz, timestamptz, boolean, boolean, text) is
    'The top_k passages whose words are nearest to those of the query, typing errors allowed for; '
    'score 0 to 1. Arguments as in rag.search.';
alter function rag.fuzzy_search(text, text[], integer, jsonb, jsonpath, jsonb, integer, integer,
    double precision, timestamptz, timestamptz, timestamptz, boolean, boolean, text) owner to
    rag_owner;
revoke all on function rag.fuzzy_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    integer, double precision, timestamptz, timestamptz, timestamptz, boolean, boolean, text) from
    public;
grant execute on function rag.fuzzy_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    integer, double precision, timestamptz, timestamptz, timestamptz, boolean, boolean, text) to
    rag_reader;
