-- Passages by words: the BM25 leg of rag.search alone.
create or replace function rag.bm25_search(
    query            text,
    collections      text[]           default null,
    top_k            integer          default 10,
    filter           jsonb            default null,
    filter_path      jsonpath         default null,
    vars             jsonb            default null,
    skip             integer          default 0,
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
             c.who, c.ticket, bm25_search.token,
             rag_internal.search_request(
                 query => bm25_search.query, strategy => 'bm25',
                 collections => bm25_search.collections, top_k => bm25_search.top_k,
                 filter => bm25_search.filter, filter_path => bm25_search.filter_path,
                 vars => bm25_search.vars, skip => bm25_search.skip,
                 min_score => bm25_search.min_score, min_updated_at => bm25_search.min_updated_at,
                 max_updated_at => bm25_search.max_updated_at, as_of => bm25_search.as_of,
                 include_archived => bm25_search.include_archived,
                 highlight => bm25_search.highlight)) h;
end;

comment on function rag.bm25_search(text, text[], integer, jsonb, jsonpath, jsonb, integer, double
    precision, timestamptz, timestamptz, timestamptz, boolean, boolean, text) is
    'The top_k passages by BM25, its statistics taken over what the caller can see in the '
    'collections searched. Arguments as in rag.search.';
alter function rag.bm25_search(text, text[], integer, jsonb, jsonpath, jsonb, integer, double
    precision, timestamptz, timestamptz, timestamptz, boolean, boolean, text) owner to rag_owner;
revoke all on function rag.bm25_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    double precision, timestamptz, timestamptz, timestamptz, boolean, boolean, text) from public;
grant execute on function rag.bm25_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    double precision, timestamptz, timestamptz, timestamptz, boolean, boolean, text) to rag_reader;
