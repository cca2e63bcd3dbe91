-- Gives a collection another name.
create or replace function rag_internal.rename_collection(
    who      name,
    ticket   bytea,
    name     text,
    new_name text
) returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    _collection rag.collection := rag_internal.own_collection(
        rag_internal.authenticate(who, ticket), rename_collection.name, true);
begin
    perform rag_internal.require_visible_text('new_name', new_name);
    if length(new_name) > 200 then
        raise exception using
            errcode = '22023',
            message = 'a collection name has at most 200 characters';
    end if;
    update rag.collection k
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
