-- A query with its typing errors corrected by what the caller sees, in the engine.
create or replace function rag_internal.corrected_query(
    query        text,
    scope        rag_internal.scope,
    max_distance integer
) returns text
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
set datestyle = iso
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).corrected_query(query, scope, max_distance)
$$;

comment on function rag_internal.corrected_query(text, rag_internal.scope, integer) is
    'The query with each word that nothing visible holds replaced by the nearest visible one '
    'within max_distance edits; quoted parts, identifiers, exclusions and filters stay.';
alter function rag_internal.corrected_query(text, rag_internal.scope, integer) owner to rag_owner;
revoke all on function rag_internal.corrected_query(text, rag_internal.scope, integer) from public;
