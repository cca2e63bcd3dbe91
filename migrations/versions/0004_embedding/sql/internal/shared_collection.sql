-- The collection of a document that plain SQL is changing, kept from changing meanwhile. Plain SQL
-- has its document already: were it to wait for who has the collection and wants the document, both
-- would wait for ever. So it tries for a while, and fails.
create or replace function rag_internal.shared_collection(collection_id bigint)
returns rag_internal.collection
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _collection rag_internal.collection;
begin
    for _try in 1 .. 40 loop
        begin
            select k.* into _collection from rag_internal.collection k
            where k.collection_id = shared_collection.collection_id
            for share nowait;
            return _collection;
        exception when lock_not_available then
            perform pg_sleep(0.05);
        end;
    end loop;
    raise exception using
        errcode = '55P03',
        message = 'the collection of this document is being changed by another session',
        hint    = 'Try again.';
end
$$;

comment on function rag_internal.shared_collection(bigint) is
    'The row of a collection, locked for share; 55P03 where another session holds it for two '
    'seconds.';
alter function rag_internal.shared_collection(bigint) owner to rag_owner;
revoke all on function rag_internal.shared_collection(bigint) from public;
