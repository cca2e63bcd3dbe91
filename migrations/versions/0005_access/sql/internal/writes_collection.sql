-- Whether an identity was granted writing to a collection. Volatile, so that who waited for a lock
-- asks anew.
create or replace function rag_internal.writes_collection(
    identity   rag_internal.identity,
    collection rag_internal.collection
) returns boolean
language sql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
    select (collection).tenant = (identity).tenant
       and exists (select from rag_internal.collection_writer w
                   where w.collection_id = (collection).collection_id
                     and w.principal_id = any ((identity).principal_ids))
$$;

comment on function rag_internal.writes_collection(rag_internal.identity,
    rag_internal.collection) is
    'Whether rag.grant_write lets the identity write documents to the collection.';
alter function rag_internal.writes_collection(rag_internal.identity, rag_internal.collection)
    owner to rag_owner;
revoke all on function rag_internal.writes_collection(rag_internal.identity,
    rag_internal.collection) from public;
