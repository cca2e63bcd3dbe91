-- What the caller sees of a scope, from the lexical index: the engine keeps it in the session.
create or replace function rag_internal.sight(
    scope              rag_internal.scope,
    out passages       bigint,
    out collection_ids bigint[],
    out text_configs   text[]
)
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
set datestyle = iso
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).sight(scope)
$$;

comment on function rag_internal.sight(rag_internal.scope) is
    'Passages that the caller sees in scope.collection_ids (null: anywhere), the collections that '
    'they lie in and their text configurations. scope.acl_ids is not asked.';
alter function rag_internal.sight(rag_internal.scope) owner to rag_owner;
revoke all on function rag_internal.sight(rag_internal.scope) from public;
