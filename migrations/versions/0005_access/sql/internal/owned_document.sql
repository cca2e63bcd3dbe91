-- The locked row of a document whose collection the identity owns, or may write to. What the
-- identity can neither change nor read does not exist for it.
create or replace function rag_internal.owned_document(
    identity    rag_internal.identity,
    document_id uuid,
    exclusive   boolean,
    or_write    boolean default false
) returns rag_internal.document
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _document rag_internal.document;
    _collection rag_internal.collection;
    _owned boolean := false;
begin
    for _try in 1 .. 2 loop
        select k.* into _collection
        from rag_internal.collection k
        where k.collection_id = (select d.collection_id from rag_internal.document d
                                 where d.document_id = owned_document.document_id);
        _owned := found
                  and (rag_internal.owns_collection(identity, _collection)
                       or (or_write and rag_internal.writes_collection(identity, _collection)));
        -- once more with the lock: what was granted may have ended while this waited
        exit when not _owned or _try = 2;
        if exclusive then
            perform from rag_internal.collection k
            where k.collection_id = _collection.collection_id for no key update;
        else
            perform from rag_internal.collection k
            where k.collection_id = _collection.collection_id for share;
        end if;
    end loop;
    if _owned then
        select d.* into _document from rag_internal.document d
        where d.document_id = owned_document.document_id for update;
    else
        select d.* into _document from rag_internal.document d
        where d.document_id = owned_document.document_id
          and d.acl_id in (select rag_internal.visible_acls(identity, array[d.acl_id]));
    end if;
    if not found then
        raise exception using
            errcode = 'P0002',
            message = format('document %s does not exist or is not visible to you',
                             owned_document.document_id),
            hint    = 'select document_id, source from rag.document shows those that are.';
    elsif not _owned then
        raise exception using
            errcode = '42501',
            message = format('document %s belongs to somebody else', owned_document.document_id),
            hint    = case when or_write
                           then 'The owner of its collection can let you write: '
                                'rag.grant_write(...).'
                           else 'Only the owner of its collection, or rag_admin, may change it.'
                      end;
    end if;
    return _document;
end
$$;

comment on function rag_internal.owned_document(rag_internal.identity, uuid, boolean, boolean) is
    'The locked row of a document that the identity may change; P0002 where it sees none, 42501 '
    'where it is another''s. exclusive: its collection is locked for update, too. or_write: '
    'writers of the collection may, too.';
alter function rag_internal.owned_document(rag_internal.identity, uuid, boolean, boolean)
    owner to rag_owner;
revoke all on function rag_internal.owned_document(rag_internal.identity, uuid, boolean, boolean)
    from public;
