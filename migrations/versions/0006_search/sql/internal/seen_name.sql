-- A name of what the caller sees of a scope. In the engine.
create or replace function rag_internal.seen_name(scope rag_internal.scope) returns bytea
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).seen_name(scope)
$$;

comment on function rag_internal.seen_name(rag_internal.scope) is
    'A hash of the classes and collections in which the caller sees passages of the scope.';
alter function rag_internal.seen_name(rag_internal.scope) owner to rag_owner;
revoke all on function rag_internal.seen_name(rag_internal.scope) from public;
