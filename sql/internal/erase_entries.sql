-- Takes deleted documents out of the lexical index at once, in the engine: the segments that hold
-- them are written again. Waits for who builds, merges or erases the same.
create or replace function rag_internal.erase_entries(document_ids uuid[]) returns bigint
language plpython3u volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).erase_entries(document_ids)
$$;

comment on function rag_internal.erase_entries(uuid[]) is 'How many postings there are less.';
alter function rag_internal.erase_entries(uuid[]) owner to rag_owner;
revoke all on function rag_internal.erase_entries(uuid[]) from public;
