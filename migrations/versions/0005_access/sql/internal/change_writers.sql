-- Grants or revokes writing documents to a collection.
create or replace function rag_internal.change_writers(
    who        name,
    ticket     bytea,
    collection text,
    writers    text[],
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
        rag_internal.authenticate(who, ticket), change_writers.collection, true);
    _principal_ids bigint[];
    _changed boolean;
begin
    perform rag_internal.check_grant(_collection.name, null, writers);
    _principal_ids := rag_internal.grantees(writers, _collection.tenant, granted);
    if granted then
        insert into rag_internal.collection_writer (collection_id, principal_id)
        select _collection.collection_id, p from unnest(_principal_ids) p
        on conflict do nothing;
    else
        delete from rag_internal.collection_writer w
        where w.collection_id = _collection.collection_id
          and w.principal_id = any (_principal_ids);
    end if;
    _changed := found;
    perform rag_internal.touch_collection(_collection.collection_id) where _changed;
    return _changed;
end
$$;

comment on function rag_internal.change_writers(name, bytea, text, text[], boolean) is
    'See rag.grant_write and rag.revoke_write.';
alter function rag_internal.change_writers(name, bytea, text, text[], boolean) owner to rag_owner;
revoke all on function rag_internal.change_writers(name, bytea, text, text[], boolean) from public;
grant execute on function rag_internal.change_writers(name, bytea, text, text[],
    boolean) to rag_writer;
