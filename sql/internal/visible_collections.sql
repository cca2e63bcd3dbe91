-- The collections an identity knows of, by name or all: what does not exist and
-- what is hidden look alike.
create or replace function rag_internal.visible_collections(
    identity rag_internal.identity,
    names    text[]
) returns setof rag_internal.collection
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _found text[] := '{}';
    _collection rag_internal.collection;
    _missing text;
begin
    for _collection in
        select k.*
        from rag_internal.collection k
        where (names is null or k.name = any (names))
          and ((identity).sees_everything
               or k.owner_id = any ((identity).principal_ids)
               or exists (select from rag_internal.visible_acls(identity, array[k.acl_id]))
               or exists (select from rag_internal.document d
                          where d.collection_id = k.collection_id
                            and d.acl_id in (select rag_internal.visible_acls(identity))))
        order by k.name
    loop
        _found := _found || _collection.name;
        return next _collection;
    end loop;
    select coalesce(n, 'null') into _missing
    from unnest(names) n
    where n is null or n <> all (_found)
    limit 1;
    if found then
        raise exception using
            errcode = 'P0002',
            message = format('collection "%s" does not exist or is not visible to you', _missing),
            hint    = 'select name from rag.list_collections() shows those that are.';
    end if;
end
$$;

comment on function rag_internal.visible_collections(rag_internal.identity, text[]) is
    'Collections of those names (null: all) that the identity may know of; P0002, in the same '
    'words for a missing and for a hidden one.';
alter function rag_internal.visible_collections(rag_internal.identity, text[]) owner to rag_owner;
revoke all on function rag_internal.visible_collections(rag_internal.identity, text[]) from public;
