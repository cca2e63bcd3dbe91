-- Questions of several parts, and those that take a second look.
create or replace function rag.search_multi(
    query            text,
    collections      text[]           default null,
    top_k            integer          default 10,
    max_hops         integer          default 2,
    threshold        double precision default null,
    strategy         text             default null,
    filter           jsonb            default null,
    filter_path      jsonpath         default null,
    vars             jsonb            default null,
    min_updated_at   timestamptz      default null,
    max_updated_at   timestamptz      default null,
    as_of            timestamptz      default null,
    include_archived boolean          default null,
    rerank           text             default null,
    rerank_optional  boolean          default null,
    allow_degraded   boolean          default false,
    token            text             default null
) returns setof rag.hit
language sql volatile parallel unsafe
begin atomic
    select h.*
    from rag_internal.caller c,
         lateral rag_internal.search_multi(
             c.who, c.ticket, search_multi.token,
             rag_internal.search_request(
                 search_multi.query, search_multi.collections, search_multi.top_k,
                 search_multi.strategy, search_multi.filter, search_multi.filter_path,
                 search_multi.vars, allow_degraded => search_multi.allow_degraded,
                 min_updated_at => search_multi.min_updated_at,
                 max_updated_at => search_multi.max_updated_at, as_of => search_multi.as_of,
                 include_archived => search_multi.include_archived,
                 rerank => search_multi.rerank, rerank_optional => search_multi.rerank_optional,
                 expand => 'chunk', highlight => false),
             search_multi.max_hops, search_multi.threshold) h;
end;

comment on function rag.search_multi(text, text[], integer, integer, double precision, text, jsonb,
    jsonpath, jsonb, timestamptz, timestamptz, timestamptz, boolean, text, boolean, boolean, text)
    is
    'Searches for each part of a question (rag.decompose_query) and merges the lists by reciprocal '
    'rank fusion. Where the best score of a part is below the threshold (of rerank_score, by '
    'default 0.5; where nothing is reranked of semantic_score, by default 0.35; where there is '
    'neither, a matching word is enough), it asks again with the identifiers, types and files that '
    'the first hits name, at most max_hops times (0 to 10); each of these lists counts a quarter. '
    'strategy null: that of each part. Dates in the question narrow min_updated_at and '
    'max_updated_at. The other arguments are those of rag.search. Recorded as one search.';
alter function rag.search_multi(text, text[], integer, integer, double precision, text, jsonb,
    jsonpath, jsonb, timestamptz, timestamptz, timestamptz, boolean, text, boolean, boolean, text)
    owner to rag_owner;
revoke all on function rag.search_multi(text, text[], integer, integer, double precision, text,
    jsonb, jsonpath, jsonb, timestamptz, timestamptz, timestamptz, boolean, text, boolean, boolean,
    text) from public;
grant execute on function rag.search_multi(text, text[], integer, integer, double precision, text,
    jsonb, jsonpath, jsonb, timestamptz, timestamptz, timestamptz, boolean, text, boolean, boolean,
    text) to rag_reader;
