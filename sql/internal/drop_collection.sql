-- Removes a collection with all that is in it.
create or replace function rag_internal.drop_collection(who name, ticket bytea, name text)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _collection rag_internal.collection := rag_internal.own_collection(
        rag_internal.authenticate(who, ticket), drop_collection.name, true);
begin
    delete from rag_internal.collection k where k.collection_id = _collection.collection_id;
    delete from rag_internal.acl a where a.acl_id = _collection.acl_id;
end
$$;

comment on function rag_internal.drop_collection(name, bytea, text) is 'See rag.drop_collection.';
alter function rag_internal.drop_collection(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.drop_collection(name, bytea, text) from public;
grant execute on function rag_internal.drop_collection(name, bytea, text) to rag_writer;
