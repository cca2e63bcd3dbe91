-- Says who reads, in place of what was said before.
create or replace function rag_internal.set_readers(
    who            name,
    ticket         bytea,
    collection     text,
    readers        text[],
    document_ids   uuid[],
    security_level integer
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
    _acl_id bigint;
    _level integer := security_level;
    _changed boolean := false;
begin
    perform rag_internal.check_grant(set_readers.collection, document_ids, null);
    perform rag_internal.check_security_level(_level);
    if _level > _identity.clearance and not _identity.sees_everything then
        raise warning 'you will not read it yourself: the level is %, your clearance %', _level,
            _identity.clearance;
    end if;
    if set_readers.collection is not null then
        return rag_internal.set_collection_readers(
            rag_internal.own_collection(_identity, set_readers.collection, true), readers, _level);
    end if;

    perform rag_internal.lock_collections(_identity, document_ids);
    for _document_id in select distinct d from unnest(document_ids) d order by d loop
        _document := rag_internal.owned_document(_identity, _document_id, true);
        select k.* into _collection from rag_internal.collection k
        where k.collection_id = _document.collection_id;
        _acl_id := coalesce(
            rag_internal.document_acl(_collection, readers, _level,
                                      (select a from rag_internal.acl a
                                       where a.acl_id = _document.acl_id)),
            _collection.acl_id);
        if _acl_id <> _document.acl_id then
            update rag_internal.document d set acl_id = _acl_id
            where d.document_id = _document_id;
            perform rag_internal.keep_up_index(_document);
            _changed := true;
        end if;
    end loop;
    return _changed;
end
$$;

comment on function rag_internal.set_readers(name, bytea, text, text[], uuid[], integer) is
    'See rag.set_readers.';
alter function rag_internal.set_readers(name, bytea, text, text[], uuid[],
    integer) owner to rag_owner;
revoke all on function rag_internal.set_readers(name, bytea, text, text[], uuid[],
    integer) from public;
grant execute on function rag_internal.set_readers(name, bytea, text, text[], uuid[],
    integer) to rag_writer;
