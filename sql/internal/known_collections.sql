-- Which of some collections an identity knows of: its own, those that it may write to or whose
-- readers it is of, and those in which it sees a document.
create or replace function rag_internal.known_collections(
    identity    rag_internal.identity,
    collections rag_internal.collection[],
    is_named    boolean
) returns bigint[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    _principal_ids bigint[] := (identity).principal_ids;
    _known bigint[];
    _doubtful bigint[];
    _acl_ids bigint[];
begin
    _known := array(
        select c.collection_id from unnest(collections) c
        where (identity).sees_everything
           or (c.owner_id = any (_principal_ids) and c.tenant = (identity).tenant));
    if cardinality(_known) = cardinality(collections) then
        return _known;
    end if;
    if is_named then
        -- as a rule by a live document: the engine keeps in mind which ones are seen
        _known := _known || (
            select s.collection_ids
            from rag_internal.sight(
                row(null, array(select c.collection_id from unnest(collections) c), null, null,
                    '{}', identity)::rag_internal.scope) s);
    end if;
    _doubtful := array(
        select c.collection_id from unnest(collections) c where c.collection_id <> all (_known));
    if cardinality(_doubtful) > 0 then
        _known := _known || array(
            select c.collection_id
            from unnest(collections) c
            where c.acl_id in (
                select rag_internal.visible_acls(identity, array(
                    select a.acl_id from unnest(collections) a)))
               or exists (select from rag_internal.collection_writer w
                          where w.collection_id = c.collection_id
                            and w.principal_id = any (_principal_ids)
                            and c.tenant = (identity).tenant));
        _doubtful := array(select d from unnest(_doubtful) d where d <> all (_known));
    end if;
    if cardinality(_doubtful) > 0 then
        _acl_ids := array(select rag_internal.visible_acls(identity));
        _known := _known || array(
            select k from unnest(_doubtful) k
            where exists (select from rag_internal.document d
                          where d.collection_id = k
                            and d.acl_id in (select unnest(_acl_ids))));
    end if;
    return _known;
end
$$;

comment on function rag_internal.known_collections(rag_internal.identity,
    rag_internal.collection[], boolean) is
    'collection_id of each, some maybe twice. is_named: a few, of which most are known.';
alter function rag_internal.known_collections(rag_internal.identity, rag_internal.collection[],
    boolean) owner to rag_owner;
revoke all on function rag_internal.known_collections(rag_internal.identity,
    rag_internal.collection[], boolean) from public;
