-- The class of a collection's readers at another security level than the collection's.
create or replace function rag_internal.level_acl(
    collection     rag_internal.collection,
    security_level smallint
) returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _acl_id bigint;
begin
    loop
        select a.acl_id into _acl_id
        from rag_internal.acl a
        where a.grants_id = (collection).acl_id and a.security_level = level_acl.security_level;
        exit when found;
        insert into rag_internal.acl (grants_id, tenant, security_level)
        values ((collection).acl_id, (collection).tenant, level_acl.security_level)
        on conflict do nothing;
    end loop;
    return _acl_id;
end
$$;

comment on function rag_internal.level_acl(rag_internal.collection, smallint) is
    'acl_id of the class that has the readers of the collection, today''s and later ones, and this '
    'security level.';
alter function rag_internal.level_acl(rag_internal.collection, smallint) owner to rag_owner;
revoke all on function rag_internal.level_acl(rag_internal.collection, smallint) from public;
