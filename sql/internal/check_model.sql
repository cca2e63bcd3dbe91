-- Asks the engine whether a model can be reached as it is registered; no call goes out.
create or replace function rag_internal.check_model(model rag_internal.model) returns void
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
GD["ragsql"].require(6).check_model(model)
$$;

comment on function rag_internal.check_model(rag_internal.model) is
    '22023 for bad endpoints, 42501 for hosts or key variables that rag.allow_http does not name.';
alter function rag_internal.check_model(rag_internal.model) owner to rag_owner;
revoke all on function rag_internal.check_model(rag_internal.model) from public;
