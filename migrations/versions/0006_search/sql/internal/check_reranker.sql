-- Asks the engine whether a reranker can be reached as it is registered; no call goes out.
create or replace function rag_internal.check_reranker(reranker rag_internal.reranker)
returns void
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
GD["ragsql"].require(6).check_reranker(reranker)
$$;

comment on function rag_internal.check_reranker(rag_internal.reranker) is
    '22023 for bad endpoints, 42501 for hosts or key variables that rag.allow_http does not name.';
alter function rag_internal.check_reranker(rag_internal.reranker) owner to rag_owner;
revoke all on function rag_internal.check_reranker(rag_internal.reranker) from public;
