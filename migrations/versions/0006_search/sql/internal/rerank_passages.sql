-- What a reranker says of passages, for whoever may read them: the caller's door is elsewhere.
create or replace function rag_internal.rerank_passages(query text, passages text[], model text)
returns double precision[]
language sql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
    select rag_internal.score_passages(query, passages, rag_internal.find_reranker(model))
$$;

comment on function rag_internal.rerank_passages(text, text[], text) is
    'The probability that each passage is relevant to the query, in order of the passages. model '
    'null or default: the default reranker. 55000 where it is unknown, missing or fails.';
alter function rag_internal.rerank_passages(text, text[], text) owner to rag_owner;
revoke all on function rag_internal.rerank_passages(text, text[], text) from public;
