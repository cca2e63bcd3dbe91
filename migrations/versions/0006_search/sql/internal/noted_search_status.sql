-- How the last search of this identity in this session ended. In the engine.
create or replace function rag_internal.noted_search_status(identity rag_internal.identity)
returns text
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).noted_search_status(identity)
$$;

comment on function rag_internal.noted_search_status(rag_internal.identity) is
    'What rag_internal.note_search_status was told last, of this identity; else null.';
alter function rag_internal.noted_search_status(rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.noted_search_status(rag_internal.identity) from public;
