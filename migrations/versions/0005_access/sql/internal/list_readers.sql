-- Who may do what with a collection or a document, told to its owner.
create or replace function rag_internal.list_readers(
    who         name,
    ticket      bytea,
    collection  text,
    document_id uuid
) returns setof rag.reader_grant
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection rag_internal.collection;
    _acl_id bigint;
begin
    perform rag_internal.check_grant(list_readers.collection,
                                     array_remove(array[list_readers.document_id], null), null);
    if list_readers.collection is not null then
        _collection := rag_internal.own_collection(_identity, list_readers.collection, null);
        _acl_id := _collection.acl_id;
    else
        _acl_id := (rag_internal.owned_document(_identity, list_readers.document_id,
                                                false)).acl_id;
    end if;
    return query
        select rag_internal.shown_name(p), g.privilege, g.security_level::integer
        from (select _collection.owner_id as principal_id, 'own' as privilege,
                     null::smallint as security_level
              union all
              select ar.principal_id, 'read', a.security_level
              from rag_internal.acl a
              join rag_internal.acl_reader ar on ar.acl_id = coalesce(a.grants_id, a.acl_id)
              where a.acl_id = _acl_id
              union all
              select w.principal_id, 'write', null from rag_internal.collection_writer w
              where w.collection_id = _collection.collection_id
              union all
              select u.principal_id, 'unredacted', null
              from rag_internal.unredacted_reader u
              where u.collection_id = _collection.collection_id) g
        join rag_internal.principal p using (principal_id)
        order by 1, 2;
end
$$;

comment on function rag_internal.list_readers(name, bytea, text, uuid) is 'See rag.list_readers.';
alter function rag_internal.list_readers(name, bytea, text, uuid) owner to rag_owner;
revoke all on function rag_internal.list_readers(name, bytea, text, uuid) from public;
grant execute on function rag_internal.list_readers(name, bytea, text, uuid) to rag_writer;
