-- Gives the memory of the session's models back.
create or replace function rag_internal.unload_models() returns integer
language plpython3u volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    return 0
return GD["ragsql"].require(6).unload_models()
$$;

comment on function rag_internal.unload_models() is
    'Drops the models that the session has loaded and frees its slot; how many.';
alter function rag_internal.unload_models() owner to rag_owner;
revoke all on function rag_internal.unload_models() from public;
