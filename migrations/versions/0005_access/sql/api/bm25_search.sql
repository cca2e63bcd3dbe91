-- Passages by words: the BM25 leg of rag.search alone.
create or replace function rag.bm25_search(
    query       text,
    collections text[]   default null,
    top_k       integer  default 10,
    filter      jsonb    default null,
    filter_path jsonpath default null,
    vars        jsonb    default null,
    skip        integer  default 0,
    token       text     default null
) returns setof rag.hit
language sql volatile parallel unsafe
begin atomic
    select h.*
    from rag_internal.caller c,
         lateral rag_internal.search(
             c.who, c.ticket, bm25_search.token, bm25_search.query, bm25_search.collections,
             bm25_search.top_k, 'bm25', bm25_search.filter, bm25_search.filter_path,
             bm25_search.vars, null, 60, bm25_search.skip, false, null) h;
end;

comment on function rag.bm25_search(text, text[], integer, jsonb, jsonpath, jsonb, integer, text) is
    'The top_k passages by BM25, its statistics taken over what the caller can see in the '
    'collections searched. Arguments as in rag.search.';
alter function rag.bm25_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    text) owner to rag_owner;
revoke all on function rag.bm25_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    text) from public;
grant execute on function rag.bm25_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    text) to rag_reader;
