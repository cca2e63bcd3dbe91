-- Grants or revokes reading, on a collection (its default class) or on one
-- document (its own class).
create or replace function rag_internal.change_readers(
    who         name,
    ticket      bytea,
    collection  text,
    reader      text,
    document_id uuid,
    granted     boolean
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
    _principal_ids bigint[];
    _before bigint[];
    _after bigint[];
begin
    if (change_readers.collection is null) = (change_readers.document_id is null) then
        raise exception using
            errcode = '22023',
            message = 'give either a collection or a document_id',
            hint    = 'For example: rag.grant_read(''docs'', ''role:alice''), or '
                      'rag.grant_read(document_id => ''...'', reader => ''role:alice'').';
    end if;
    if change_readers.collection is not null then
        _collection := rag_internal.own_collection(_identity, change_readers.collection, true);
    else
        _document := rag_internal.owned_document(_identity, change_readers.document_id, true);
    end if;
    _principal_ids := case when granted then array[rag_internal.principal_for(reader)]
                           else rag_internal.principals_named(reader) end;

    if _collection.collection_id is not null then
        if granted then
            insert into rag_internal.acl_reader (principal_id, acl_id)
            select p, _collection.acl_id from unnest(_principal_ids) p
            on conflict do nothing;
        else
            delete from rag_internal.acl_reader ar
            where ar.principal_id = any (_principal_ids) and ar.acl_id = _collection.acl_id;
        end if;
        return found;
    end if;

    _before := array(
        select ar.principal_id from rag_internal.acl_reader ar where ar.acl_id = _document.acl_id);
    _after := case when granted then _before || _principal_ids
                   else array(select p from unnest(_before) p where p <> all (_principal_ids)) end;
    if _after <@ _before and _before <@ _after
       -- one who reads through the collection is to read on when the collection ends that
       and not (granted and exists (select from rag_internal.acl a
                                    where a.acl_id = _document.acl_id
                                      and a.reader_set is null)) then
        return false;
    end if;
    update rag_internal.document d set acl_id = rag_internal.intern_readers(_after)
    where d.document_id = _document.document_id;
    perform rag_internal.keep_up_index(_document);
    return true;
end
$$;

comment on function rag_internal.change_readers(name, bytea, text, text, uuid, boolean) is
    'See rag.grant_read and rag.revoke_read.';
alter function rag_internal.change_readers(name, bytea, text, text, uuid,
    boolean) owner to rag_owner;
revoke all on function rag_internal.change_readers(name, bytea, text, text, uuid,
    boolean) from public;
grant execute on function rag_internal.change_readers(name, bytea, text, text, uuid,
    boolean) to rag_writer;
