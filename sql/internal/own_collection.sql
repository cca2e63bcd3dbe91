-- A collection the identity may change, locked: for share by who writes documents, for no key
-- update by who changes the collection or its readers; not at all (null) by who looks. Plain SQL
-- has locked its documents when it checks its foreign keys: if those waited, it would be a
-- deadlock.
create or replace function rag_internal.own_collection(
    identity  rag_internal.identity,
    name      text,
    exclusive boolean,
    or_write  boolean default false
) returns rag_internal.collection
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _collection rag_internal.collection;
    _writes boolean;
begin
    select k.* into _collection
    from rag_internal.visible_collections(identity, array[own_collection.name]) k;
    _writes := or_write and (rag_internal.writes_collection(identity, _collection)
                             or (identity).sees_everything);
    -- by its plain name nobody else's is written to: whoever has one of a usual name would catch
    -- what others mean to put into their own
    if (case when or_write and own_collection.name = _collection.name
             then not rag_internal.is_own_name(identity, _collection)
             else not (_writes or rag_internal.owns_collection(identity, _collection)) end) then
        raise exception using
            errcode = '42501',
            message = format('collection "%s" belongs to somebody else', own_collection.name),
            hint    = case when _writes
                           then format('To write to it, name it with its owner: %s; '
                                       'rag.create_collection(...) makes one of your own.',
                                       (select (rag_internal.qualified_names(
                                                    _collection.name, o, _collection.tenant))[
                                           case when (identity).sees_everything then 2 else 1 end]
                                        from rag_internal.principal o
                                        where o.principal_id = _collection.owner_id))
                           when or_write
                           then 'rag.create_collection(...) makes one of your own; or its owner '
                                'lets you write: rag.grant_write(...).'
                           else 'Only its owner, or rag_admin, may change it.' end;
    end if;

    if exclusive is null then
        return _collection;
    end if;
    -- name and owner once more: whoever held the lock until now may have changed them
    if exclusive then
        select k.* into _collection from rag_internal.collection k
        where k.collection_id = _collection.collection_id
          and k.name = _collection.name and k.owner_id = _collection.owner_id
        for no key update;
    else
        select k.* into _collection from rag_internal.collection k
        where k.collection_id = _collection.collection_id
          and k.name = _collection.name and k.owner_id = _collection.owner_id
        for share;
    end if;
    if not found then
        raise exception using
            errcode = 'P0002',
            message = format('collection "%s" does not exist or is not visible to you',
                             own_collection.name),
            hint    = 'select name from rag.list_collections() shows those that are.';
    -- the right to write may have ended while this waited
    elsif not rag_internal.owns_collection(identity, _collection)
          and not rag_internal.writes_collection(identity, _collection) then
        raise exception using
            errcode = '42501',
            message = format('collection "%s" belongs to somebody else', own_collection.name),
            hint    = 'Its owner can let you write: rag.grant_write(...).';
    end if;
    return _collection;
end
$$;

comment on function rag_internal.own_collection(rag_internal.identity, text, boolean, boolean) is
    'The locked row of a collection that the identity owns, or (or_write, named as OWNER/NAME) may '
    'write to; P0002 where it sees none, 42501 where it is another''s.';
alter function rag_internal.own_collection(rag_internal.identity, text, boolean, boolean)
    owner to rag_owner;
revoke all on function rag_internal.own_collection(rag_internal.identity, text, boolean, boolean)
    from public;
