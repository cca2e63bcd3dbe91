-- The sharing classes that an identity may read: the one statement of the access rule.
create or replace function rag_internal.visible_acls(identity rag_internal.identity)
returns setof bigint
language sql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
    select a.acl_id
    from rag_internal.acl a
    where (identity).sees_everything
       or (a.tenant = (identity).tenant
           and a.security_level <= (identity).clearance
           and a.acl_id in (select ar.acl_id
                            from rag_internal.acl_reader ar
                            where ar.principal_id = any ((identity).principal_ids)))
$$;

comment on function rag_internal.visible_acls(rag_internal.identity) is
    'acl_id of each sharing class that the identity may read: its tenant, its clearance, one of '
    'its principals.';
alter function rag_internal.visible_acls(rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.visible_acls(rag_internal.identity) from public;
