-- Whether the files of a model are where the engine looks, for rag.doctor().
create or replace function rag_internal.model_status(model rag_internal.model) returns jsonb
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
import json
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return json.dumps(GD["ragsql"].require(4).model_status(model))
$$;

comment on function rag_internal.model_status(rag_internal.model) is
    'Whether the model''s files are present, their folder and what is wrong; loads no weights.';
alter function rag_internal.model_status(rag_internal.model) owner to rag_owner;
revoke all on function rag_internal.model_status(rag_internal.model) from public;
