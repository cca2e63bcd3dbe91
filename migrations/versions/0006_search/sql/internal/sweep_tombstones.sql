-- Removes tombstones whose entries lie nowhere any more, in the engine.
create or replace function rag_internal.sweep_tombstones() returns integer
language plpython3u volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).sweep_tombstones()
$$;

comment on function rag_internal.sweep_tombstones() is
    'How many were removed.';
alter function rag_internal.sweep_tombstones() owner to rag_owner;
revoke all on function rag_internal.sweep_tombstones() from public;
