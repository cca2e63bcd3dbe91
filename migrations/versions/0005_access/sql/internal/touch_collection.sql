-- Makes transactions that began before a change of readers, writers or level fail with 40001 when
-- they lock the collection: at repeatable read they would go by what was.
create or replace function rag_internal.touch_collection(collection_id bigint) returns void
language sql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
    update rag_internal.collection k set updated_at = k.updated_at
    where k.collection_id = touch_collection.collection_id
$$;

comment on function rag_internal.touch_collection(bigint) is
    'Writes the row of a collection anew, as it is.';
alter function rag_internal.touch_collection(bigint) owner to rag_owner;
revoke all on function rag_internal.touch_collection(bigint) from public;
