-- Those of some collections that an identity knows of: its own, those that it may write to or whose
-- readers it is of, and those in which it sees a document.
create or replace function rag_internal.known_collections(
    identity    rag_internal.identity,
    collections rag_internal.collection[],
    is_named    boolean
) returns rag_internal.collection[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    _principal_ids bigint[] := (identity).principal_ids;
    _tenant text := (identity).tenant;
    _ids bigint[] := '{}';
    _acl_ids bigint[] := '{}';
    _is_own boolean := true;
    _collection rag_internal.collection;
    _known bigint[] := '{}';
    _scope rag_internal.scope;
begin
    foreach _collection in array collections loop
        _ids := _ids || _collection.collection_id;
        _acl_ids := _acl_ids || _collection.acl_id;
        _is_own := _is_own and _collection.owner_id = any (_principal_ids)
                   and _collection.tenant = _tenant;
    end loop;
    if _is_own then
        return collections;
    end if;
    if is_named then
        -- as a rule they are known by a live document: the engine keeps in mind where it sees one
        _scope.identity := known_collections.identity;
        _scope.collection_ids := _ids;
        select s.collection_ids into _known from rag_internal.sight(_scope) s;
        if _known @> _ids then
            return collections;
        end if;
    end if;
    _known := _known || array(
        select c.collection_id
        from unnest(collections) c
        where (c.owner_id = any (_principal_ids) and c.tenant = _tenant)
           or c.acl_id in (select rag_internal.visible_acls(identity, _acl_ids))
           or exists (select from rag_internal.collection_writer w
                      where w.collection_id = c.collection_id
                        and w.principal_id = any (_principal_ids) and c.tenant = _tenant));
    if not _known @> _ids then
        _acl_ids := array(select rag_internal.visible_acls(identity));
        _known := _known || array(
            select d.k from unnest(_ids) d (k)
            where d.k <> all (_known)
              and exists (select from rag_internal.document o
                          where o.collection_id = d.k
                            and o.acl_id in (select unnest(_acl_ids))));
    end if;
    return array(
        select c from unnest(collections) c where c.collection_id = any (_known)
        order by c.name, c.collection_id);
end
$$;

comment on function rag_internal.known_collections(rag_internal.identity,
    rag_internal.collection[], boolean) is
    'By name. is_named: a few, of which most are known.';
alter function rag_internal.known_collections(rag_internal.identity, rag_internal.collection[],
    boolean) owner to rag_owner;
revoke all on function rag_internal.known_collections(rag_internal.identity,
    rag_internal.collection[], boolean) from public;
