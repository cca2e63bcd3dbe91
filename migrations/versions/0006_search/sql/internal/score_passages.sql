-- Scores passages against a query, in the engine.
create or replace function rag_internal.score_passages(
    query    text,
    passages text[],
    reranker rag_internal.reranker
)
returns double precision[]
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).rerank(query, passages, reranker)
$$;

comment on function rag_internal.score_passages(text, text[], rag_internal.reranker) is
    'The probability that each passage is relevant to the query, in order of the passages; 22023 '
    'for blank texts, 55000 where the reranker cannot be used.';
alter function rag_internal.score_passages(text, text[], rag_internal.reranker) owner to rag_owner;
revoke all on function rag_internal.score_passages(text, text[], rag_internal.reranker) from public;
