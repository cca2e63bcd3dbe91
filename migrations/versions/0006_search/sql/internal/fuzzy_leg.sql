-- Passages whose words look like those of the query, in the engine.
create or replace function rag_internal.fuzzy_leg(
    query        text,
    scope        rag_internal.scope,
    depth        bigint,
    max_distance integer
) returns setof rag_internal.leg_hit
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
set datestyle = iso
set jit = off
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).fuzzy_leg(query, scope, depth, max_distance)
$$;

comment on function rag_internal.fuzzy_leg(text, rag_internal.scope, bigint, integer) is
    'At most depth passages by likeness of words: the mean, over the query words that visible '
    'passages have a like of within max_distance edits, of the best similarity in the passage (0 '
    'where it has none). corrected_query says what was searched for, where that is not what was '
    'typed.';
alter function rag_internal.fuzzy_leg(text, rag_internal.scope, bigint, integer) owner to rag_owner;
revoke all on function rag_internal.fuzzy_leg(text, rag_internal.scope, bigint, integer) from
    public;
