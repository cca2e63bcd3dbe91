-- Whether a passage that the caller sees waits for the vector that its collection is searched by.
create or replace function rag_internal.sees_waiting(
    scope rag_internal.scope,
    live  text
) returns boolean
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
set datestyle = iso
set plan_cache_mode = force_generic_plan
set jit = off
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).sees_waiting(scope, live)
$$;

comment on function rag_internal.sees_waiting(rag_internal.scope, text) is
    'Of those in scope.collection_ids (null: anywhere), among live, which is what '
    'rag_internal.live_passages gives. scope.acl_ids is not asked.';
alter function rag_internal.sees_waiting(rag_internal.scope, text) owner to rag_owner;
revoke all on function rag_internal.sees_waiting(rag_internal.scope, text) from public;
