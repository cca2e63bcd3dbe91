-- Keeps in the session how the last search ended, for rag.search_status. In the engine.
create or replace function rag_internal.note_search_status(
    identity rag_internal.identity,
    status   text
) returns void
language plpython3u volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
GD["ragsql"].require(6).note_search_status(identity, status)
$$;

comment on function rag_internal.note_search_status(rag_internal.identity, text) is
    'Notes the status of a search; another identity in the same session is not told of it.';
alter function rag_internal.note_search_status(rag_internal.identity, text) owner to rag_owner;
revoke all on function rag_internal.note_search_status(rag_internal.identity, text) from public;
