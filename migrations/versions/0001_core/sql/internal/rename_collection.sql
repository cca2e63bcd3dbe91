-- Gives a collection another name.
create or replace function rag_internal.rename_collection(
    who      name,
    ticket   bytea,
    name     text,
    new_name text
) returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _collection rag_internal.collection := rag_internal.own_collection(
        rag_internal.authenticate(who, ticket), rename_collection.name, true);
begin
    perform rag_internal.check_name(new_name);
    update rag_internal.collection k
    set name = rename_collection.new_name, updated_at = now()
    where k.collection_id = _collection.collection_id;
exception when unique_violation then
    raise exception using
        errcode = '42710',
        message = format('the collection name "%s" is taken', new_name),
        hint    = 'Choose another name.';
end
$$;

comment on function rag_internal.rename_collection(name, bytea, text, text) is
    'See rag.rename_collection.';
alter function rag_internal.rename_collection(name, bytea, text, text) owner to rag_owner;
revoke all on function rag_internal.rename_collection(name, bytea, text, text) from public;
grant execute on function rag_internal.rename_collection(name, bytea, text, text) to rag_writer;
