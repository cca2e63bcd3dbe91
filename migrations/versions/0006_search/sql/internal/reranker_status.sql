-- Whether a reranker can be used: its files are there, or the way to it is allowed.
create or replace function rag_internal.reranker_status(reranker rag_internal.reranker)
returns jsonb
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
import json
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return json.dumps(GD["ragsql"].require(6).reranker_status(reranker))
$$;

comment on function rag_internal.reranker_status(rag_internal.reranker) is
    'present, directory and detail, as rag_internal.model_status tells them of a model.';
alter function rag_internal.reranker_status(rag_internal.reranker) owner to rag_owner;
revoke all on function rag_internal.reranker_status(rag_internal.reranker) from public;
