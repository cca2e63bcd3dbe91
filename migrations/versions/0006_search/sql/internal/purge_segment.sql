-- Writes one segment that holds something dead again without it, in the engine.
create or replace function rag_internal.purge_segment() returns boolean
language plpython3u volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).purge_segment()
$$;

comment on function rag_internal.purge_segment() is
    'False where there was none; then tombstones are swept, too.';
alter function rag_internal.purge_segment() owner to rag_owner;
revoke all on function rag_internal.purge_segment() from public;
