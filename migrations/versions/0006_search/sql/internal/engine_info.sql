-- What the server's Python and the engine in it are, for rag.doctor().
create or replace function rag_internal.engine_info() returns jsonb
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
import json
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return json.dumps(GD["ragsql"].require(6).python_info())
$$;

comment on function rag_internal.engine_info() is
    'Version, executable and paths of the engine''s Python.';
alter function rag_internal.engine_info() owner to rag_owner;
revoke all on function rag_internal.engine_info() from public;
