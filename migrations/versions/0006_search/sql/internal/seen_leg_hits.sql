-- Runs a statement of rag_internal.semantic_leg with the classes and collections that the caller
-- sees as constants in it, {acls}, {collections}, or as {pair_acls} and {pair_collections}. Its
-- plan is kept in the session for as long as these stay the same.
create or replace function rag_internal.seen_leg_hits(
    statement    text,
    scope        rag_internal.scope,
    query_vector @extschema:vector@.vector
) returns setof rag_internal.leg_hit
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
set datestyle = iso
set plan_cache_mode = force_generic_plan
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).leg_hits(statement, scope, query_vector)
$$;

comment on function rag_internal.seen_leg_hits(text, rag_internal.scope,
    @extschema:vector@.vector) is
    'Rows of the statement, whose $1 is the text of query_vector.';
alter function rag_internal.seen_leg_hits(text, rag_internal.scope,
    @extschema:vector@.vector) owner to rag_owner;
revoke all on function rag_internal.seen_leg_hits(text, rag_internal.scope,
    @extschema:vector@.vector) from public;
