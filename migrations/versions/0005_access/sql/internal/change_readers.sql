-- Grants or revokes reading, on a collection (its default class) or on documents (classes of their
-- own).
create or replace function rag_internal.change_readers(
    who          name,
    ticket       bytea,
    collection   text,
    readers      text[],
    document_ids uuid[],
    granted      boolean
) returns boolean
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
    _document rag_internal.document;
    _document_id uuid;
    _acl rag_internal.acl;
    _principal_ids bigint[];
    _before bigint[];
    _after bigint[];
    _changed boolean := false;
begin
    perform rag_internal.check_grant(change_readers.collection, document_ids, readers);
    if change_readers.collection is not null then
        _collection := rag_internal.own_collection(_identity, change_readers.collection, true);
        _principal_ids := rag_internal.grantees(readers, _collection.tenant, granted);
        if granted then
            insert into rag_internal.acl_reader (principal_id, acl_id)
            select p, _collection.acl_id from unnest(_principal_ids) p
            on conflict do nothing;
        else
            delete from rag_internal.acl_reader ar
            where ar.principal_id = any (_principal_ids) and ar.acl_id = _collection.acl_id;
        end if;
        _changed := found;
        perform rag_internal.touch_collection(_collection.collection_id) where _changed;
        return _changed;
    end if;

    perform rag_internal.lock_collections(_identity, document_ids);
    for _document_id in select distinct d from unnest(document_ids) d order by d loop
        _document := rag_internal.owned_document(_identity, _document_id, true);
        select a.* into _acl from rag_internal.acl a where a.acl_id = _document.acl_id;
        _principal_ids := rag_internal.grantees(readers, _acl.tenant, granted);
        _before := array(
            select ar.principal_id from rag_internal.acl_reader ar
            where ar.acl_id = coalesce(_acl.grants_id, _acl.acl_id));
        _after := case when granted then _before || _principal_ids
                       else array(select p from unnest(_before) p
                                  where p <> all (_principal_ids)) end;
        if not (_after <@ _before and _before <@ _after)
           -- one who reads through the collection is to read on when the collection ends that
           or (granted and _acl.reader_set is null) then
            update rag_internal.document d
            set acl_id = rag_internal.intern_readers(_after, _acl.tenant, _acl.security_level)
            where d.document_id = _document_id;
            perform rag_internal.keep_up_index(_document);
            _changed := true;
        end if;
    end loop;
    return _changed;
end
$$;

comment on function rag_internal.change_readers(name, bytea, text, text[], uuid[], boolean) is
    'See rag.grant_read and rag.revoke_read.';
alter function rag_internal.change_readers(name, bytea, text, text[], uuid[],
    boolean) owner to rag_owner;
revoke all on function rag_internal.change_readers(name, bytea, text, text[], uuid[],
    boolean) from public;
grant execute on function rag_internal.change_readers(name, bytea, text, text[], uuid[],
    boolean) to rag_writer;
