-- Removes words from the dictionary that no entry of the lexical index has, in the engine. Who
-- builds a segment waits meanwhile.
create or replace function rag_internal.prune_words() returns bigint
language plpython3u volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).prune_words()
$$;

comment on function rag_internal.prune_words() is 'How many.';
alter function rag_internal.prune_words() owner to rag_owner;
revoke all on function rag_internal.prune_words() from public;
