-- The sharing classes that an identity may read: the one statement of the access rule.
create or replace function rag_internal.visible_acls(
    identity rag_internal.identity,
    among    bigint[] default null
) returns setof bigint
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
begin
    return query
        select a.acl_id
        from rag_internal.acl a
        where (among is null or a.acl_id = any (among))
          and ((identity).sees_everything
               or (a.tenant = (identity).tenant
                   and a.security_level <= (identity).clearance
                   and a.acl_id in (select ar.acl_id
                                    from rag_internal.acl_reader ar
                                    where ar.principal_id = any ((identity).principal_ids))));
end
$$;

comment on function rag_internal.visible_acls(rag_internal.identity, bigint[]) is
    'acl_id of each sharing class, or of each among these, that the identity may read: its '
    'tenant, its clearance, one of its principals.';
alter function rag_internal.visible_acls(rag_internal.identity, bigint[]) owner to rag_owner;
revoke all on function rag_internal.visible_acls(rag_internal.identity, bigint[]) from public;
