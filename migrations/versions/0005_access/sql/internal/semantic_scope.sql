-- Where the semantic leg looks: classes and collections, one by one.
create or replace function rag_internal.semantic_scope(
    scope       rag_internal.scope,
    collections text[]
) returns rag_internal.scope
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    scope.acl_ids := array(select rag_internal.visible_acls((scope).identity));
    scope.collection_ids := coalesce(
        (scope).collection_ids,
        rag_internal.search_collections((scope).identity, collections));
    return scope;
end
$$;

comment on function rag_internal.semantic_scope(rag_internal.scope, text[]) is
    'The scope with all acl_ids and collection_ids.';
alter function rag_internal.semantic_scope(rag_internal.scope, text[]) owner to rag_owner;
revoke all on function rag_internal.semantic_scope(rag_internal.scope, text[]) from public;
