-- Whether a model can be used: its files are there, or the way to it is allowed.
create or replace function rag_internal.model_status(model rag_internal.model) returns jsonb
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
import json
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return json.dumps(GD["ragsql"].require(6).model_status(model))
$$;

comment on function rag_internal.model_status(rag_internal.model) is
    'present: the model''s files are there, or its host is allowed and its key set; directory and '
    'detail say more. Loads no weights, and makes no call but to an embedder on this machine.';
alter function rag_internal.model_status(rag_internal.model) owner to rag_owner;
revoke all on function rag_internal.model_status(rag_internal.model) from public;
