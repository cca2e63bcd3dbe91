-- The default readers and the level of a locked collection, in place of those it has. Its owner
-- stays a reader.
create or replace function rag_internal.set_collection_readers(
    collection     rag_internal.collection,
    readers        text[],
    security_level integer
) returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _principal_ids bigint[];
    _changed boolean := false;
begin
    if readers is not null then
        _principal_ids := (collection).owner_id
                       || rag_internal.grantees(readers, (collection).tenant, true);
        delete from rag_internal.acl_reader ar
        where ar.acl_id = (collection).acl_id and ar.principal_id <> all (_principal_ids);
        _changed := found;
        insert into rag_internal.acl_reader (principal_id, acl_id)
        select distinct p, (collection).acl_id from unnest(_principal_ids) p
        on conflict do nothing;
        _changed := _changed or found;
    end if;
    update rag_internal.acl a
    set security_level = set_collection_readers.security_level
    where a.acl_id = (collection).acl_id
      and a.security_level <> set_collection_readers.security_level;
    _changed := _changed or found;
    perform rag_internal.touch_collection((collection).collection_id) where _changed;
    return _changed;
end
$$;

comment on function rag_internal.set_collection_readers(rag_internal.collection, text[], integer) is
    'Whether that changed something; null leaves readers or level as they are.';
alter function rag_internal.set_collection_readers(rag_internal.collection, text[],
    integer) owner to rag_owner;
revoke all on function rag_internal.set_collection_readers(rag_internal.collection, text[],
    integer) from public;
