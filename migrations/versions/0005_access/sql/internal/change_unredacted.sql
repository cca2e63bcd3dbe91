-- Lets a reader see a collection as it is written, or ends that.
create or replace function rag_internal.change_unredacted(
    who        name,
    ticket     bytea,
    collection text,
    reader     text,
    granted    boolean
) returns boolean
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _collection rag_internal.collection := rag_internal.own_collection(
        rag_internal.authenticate(who, ticket), change_unredacted.collection, true);
begin
    if granted then
        insert into rag_internal.unredacted_reader (collection_id, principal_id)
        values (_collection.collection_id,
                rag_internal.principal_for(reader, _collection.tenant))
        on conflict do nothing;
    else
        delete from rag_internal.unredacted_reader u
        where u.collection_id = _collection.collection_id
          and u.principal_id = any (rag_internal.principals_named(reader, _collection.tenant));
    end if;
    return found;
end
$$;

comment on function rag_internal.change_unredacted(name, bytea, text, text, boolean) is
    'See rag.grant_unredacted and rag.revoke_unredacted.';
alter function rag_internal.change_unredacted(name, bytea, text, text, boolean) owner to rag_owner;
revoke all on function rag_internal.change_unredacted(name, bytea, text, text, boolean) from public;
grant execute on function rag_internal.change_unredacted(name, bytea, text, text,
    boolean) to rag_writer;
