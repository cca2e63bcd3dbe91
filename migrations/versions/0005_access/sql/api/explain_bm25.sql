-- Why a passage has its BM25 score.
create or replace function rag.explain_bm25(
    query       text,
    document_id uuid,
    chunk_index integer,
    collections text[] default null,
    token       text   default null
) returns setof rag.bm25_term
language sql stable parallel unsafe
begin atomic
    select t.*
    from rag_internal.caller c,
         lateral rag_internal.explain_bm25(c.who, c.ticket, explain_bm25.query,
                                           explain_bm25.document_id, explain_bm25.chunk_index,
                                           explain_bm25.collections, explain_bm25.token) t;
end;

comment on function rag.explain_bm25(text, uuid, integer, text[], text) is
    'A row per term of the query, in the order in which the contributions add up to bm25_score; '
    'tf 0: the passage does not have the term. Statistics are of what the caller can see in the '
    'collections (null: all). A passage that is missing or hidden is P0002.';
alter function rag.explain_bm25(text, uuid, integer, text[], text) owner to rag_owner;
revoke all on function rag.explain_bm25(text, uuid, integer, text[], text) from public;
grant execute on function rag.explain_bm25(text, uuid, integer, text[], text) to rag_reader;
