-- Texts by their relevance to a question, as a cross-encoder sees it.
create or replace function rag.rerank(
    query    text,
    passages text[],
    model    text default null,
    token    text default null
) returns setof rag.reranked
language sql stable parallel unsafe
begin atomic
    select t.*
    from rag_internal.caller c,
         lateral rag_internal.rerank(c.who, c.ticket, rerank.query, rerank.passages, rerank.model,
                                     rerank.token) t;
end;

comment on function rag.rerank(text, text[], text, text) is
    'Passages by the probability that they are relevant to the query, as a reranker sees it: rank, '
    'index (place in passages, from 1), score. Equal scores keep their order; a blank or null '
    'passage scores 0. model: a name in rag.reranker, null the default one; 55000 where it cannot '
    'be used.';
alter function rag.rerank(text, text[], text, text) owner to rag_owner;
revoke all on function rag.rerank(text, text[], text, text) from public;
grant execute on function rag.rerank(text, text[], text, text) to rag_reader;
