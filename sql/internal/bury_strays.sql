-- Entries in the index that are no document's, where a trigger did not run (as on a replica, or at
-- a truncate), get the tombstones that they lack, in the engine.
create or replace function rag_internal.bury_strays(collection_id bigint) returns integer
language plpython3u volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).bury_strays(collection_id)
$$;

comment on function rag_internal.bury_strays(bigint) is
    'How many entries of the collection got a tombstone.';
alter function rag_internal.bury_strays(bigint) owner to rag_owner;
revoke all on function rag_internal.bury_strays(bigint) from public;
