-- Whether a collection is the identity's to change and to share. What owns it bounds it to its
-- tenant.
create or replace function rag_internal.owns_collection(
    identity   rag_internal.identity,
    collection rag_internal.collection
) returns boolean
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select (identity).sees_everything
        or ((collection).owner_id = any ((identity).principal_ids)
            and (collection).tenant = (identity).tenant)
$$;

comment on function rag_internal.owns_collection(rag_internal.identity, rag_internal.collection) is
    'Whether the identity owns the collection in its tenant, or sees everything.';
alter function rag_internal.owns_collection(rag_internal.identity, rag_internal.collection)
    owner to rag_owner;
revoke all on function rag_internal.owns_collection(rag_internal.identity, rag_internal.collection)
    from public;
