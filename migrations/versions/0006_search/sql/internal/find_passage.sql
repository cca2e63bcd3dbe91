-- Looks for a cited passage in a text, in the engine, since it may stand anywhere by now.
create or replace function rag_internal.find_passage(
    content text,
    hash    text,
    length  integer,
    place   integer,
    secret  bytea
) returns integer
language plpython3u immutable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).find_passage(content, hash, length, place, secret)
$$;

comment on function rag_internal.find_passage(text, text, integer, integer, bytea) is
    'Where in the content the passage with that hash of a citation begins, at its place or '
    'elsewhere; null where it is gone. secret: of keyed hashes; null for plain ones.';
alter function rag_internal.find_passage(text, text, integer, integer, bytea) owner to rag_owner;
revoke all on function rag_internal.find_passage(text, text, integer, integer, bytea) from public;
