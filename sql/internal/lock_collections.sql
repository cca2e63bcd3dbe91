-- Locks the collections of documents that are to change their readers, as far as they are the
-- identity's, in one order for all.
create or replace function rag_internal.lock_collections(
    identity     rag_internal.identity,
    document_ids uuid[]
) returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    perform from rag_internal.collection k
    where k.collection_id in (select d.collection_id from rag_internal.document d
                              where d.document_id = any (document_ids))
      and rag_internal.owns_collection(identity, k)
    order by k.collection_id
    for no key update;
end
$$;

comment on function rag_internal.lock_collections(rag_internal.identity, uuid[]) is
    'Who changes documents of several collections takes them in the order of their ids.';
alter function rag_internal.lock_collections(rag_internal.identity, uuid[]) owner to rag_owner;
revoke all on function rag_internal.lock_collections(rag_internal.identity, uuid[]) from public;
