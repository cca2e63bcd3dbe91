-- The sharing classes that occur among what the caller sees of a scope, from the lexical index.
create or replace function rag_internal.seen_acls(scope rag_internal.scope) returns bigint[]
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
set datestyle = iso
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).seen_acls(scope)
$$;

comment on function rag_internal.seen_acls(rag_internal.scope) is
    'acl_id of each. scope.acl_ids is not asked.';
alter function rag_internal.seen_acls(rag_internal.scope) owner to rag_owner;
revoke all on function rag_internal.seen_acls(rag_internal.scope) from public;
