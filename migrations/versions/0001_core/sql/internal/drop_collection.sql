-- Removes a collection with all that is in it.
create or replace function rag_internal.drop_collection(who name, ticket bytea, name text)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    _collection rag.collection := rag_internal.own_collection(
        rag_internal.authenticate(who, ticket), drop_collection.name, true);
begin
    delete from rag.collection k where k.collection_id = _collection.collection_id;
    delete from rag.acl a where a.acl_id = _collection.acl_id;
end
$$;

comment on function rag_internal.drop_collection(name, bytea, text) is 'See rag.drop_collection.';
alter function rag_internal.drop_collection(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.drop_collection(name, bytea, text) from public;
grant execute on function rag_internal.drop_collection(name, bytea, text) to rag_writer;
