-- The sharing classes that an identity may read: the one statement of the access rule.
create or replace function rag_internal.visible_acls(
    identity rag_internal.identity,
    among    bigint[] default null
) returns setof bigint
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    _tenant text := (identity).tenant;
    _clearance smallint := (identity).clearance;
    _principal_ids bigint[] := (identity).principal_ids;
begin
    if (identity).sees_everything and among is null then
        return query select a.acl_id from rag_internal.acl a;
        return;
    elsif (identity).sees_everything then
        return query select a.acl_id from rag_internal.acl a where a.acl_id = any (among);
        return;
    end if;
    -- few are looked up, all are joined: two plans of the same rule, which a session keeps
    if among is not null then
        return query
            select a.acl_id
            from rag_internal.acl a
            where a.acl_id = any (among)
              and a.tenant = _tenant
              and a.security_level <= _clearance
              and exists (select from rag_internal.acl_reader ar
                          where ar.acl_id = coalesce(a.grants_id, a.acl_id)
                            and ar.principal_id = any (_principal_ids)
                          offset 0);  -- one by one: a join would read all that a principal has
        return;
    end if;
    return query
        select a.acl_id
        from rag_internal.acl a
        where a.tenant = _tenant
          and a.security_level <= _clearance
          and coalesce(a.grants_id, a.acl_id) in (select ar.acl_id
                                                  from rag_internal.acl_reader ar
                                                  where ar.principal_id = any (_principal_ids));
end
$$;

comment on function rag_internal.visible_acls(rag_internal.identity, bigint[]) is
    'acl_id of each sharing class, or of each among these, that the identity may read: its '
    'tenant, its clearance, one of its principals.';
alter function rag_internal.visible_acls(rag_internal.identity, bigint[]) owner to rag_owner;
revoke all on function rag_internal.visible_acls(rag_internal.identity, bigint[]) from public;
