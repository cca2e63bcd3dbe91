-- Brings the engine into this session, once: where from is a superuser's setting,
-- or the server's PYTHONPATH.
create or replace function rag_internal.load_engine() returns void
language plpython3u volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
import os, sys
rows = plpy.execute(
    "select name, value from rag_internal.setting "
    "where name in ('python_path', 'model_path', 'index_cache_mb')"
)
setting = {row["name"]: row["value"] for row in rows}
sys.path[:0] = [path for path in setting.get("python_path", "").split(os.pathsep) if path]
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # read when numpy and onnxruntime load, and never again
try:
    from ragsql_engine.session import Engine
except ImportError as error:
    plpy.error(
        f"the ragsql engine cannot be loaded by the server's Python: {error}",
        sqlstate="55000",
        hint="Install ragsql with the Python that plpython3u links, where the server's user can "
        "read it, and put that folder into rag_internal.setting as python_path; `ragsql doctor` "
        "shows both.",
    )
GD["ragsql"] = Engine(plpy, setting.get("model_path"))
if "index_cache_mb" in setting:
    GD["ragsql"].index_cache_mb = setting["index_cache_mb"]
$$;

comment on function rag_internal.load_engine() is
    'Imports ragsql_engine into the session; 55000 with the next step where it is not to be found.';
alter function rag_internal.load_engine() owner to rag_owner;
revoke all on function rag_internal.load_engine() from public;
