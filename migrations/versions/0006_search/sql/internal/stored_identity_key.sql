-- Checks a key that tokens are to be verified with, in the engine.
create or replace function rag_internal.stored_identity_key(algorithm text, key text) returns text
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).stored_identity_key(algorithm, key)
$$;

comment on function rag_internal.stored_identity_key(text, text) is
    'The key as rag_internal.identity_key has it; 22023 for one that cannot verify tokens of the '
    'algorithm, or that others may know.';
alter function rag_internal.stored_identity_key(text, text) owner to rag_owner;
revoke all on function rag_internal.stored_identity_key(text, text) from public;
