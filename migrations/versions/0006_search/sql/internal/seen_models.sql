-- The models under which the caller sees a vector, in collections that are searched by them.
create or replace function rag_internal.seen_models(scope rag_internal.scope) returns integer[]
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
set datestyle = iso
set plan_cache_mode = force_generic_plan
set jit = off
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).seen_models(scope)
$$;

comment on function rag_internal.seen_models(rag_internal.scope) is
    'model_id of each. scope.acl_ids is not asked.';
alter function rag_internal.seen_models(rag_internal.scope) owner to rag_owner;
revoke all on function rag_internal.seen_models(rag_internal.scope) from public;
