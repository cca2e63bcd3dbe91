-- The names by which an identity can be granted something. Not the rows of rag_internal.principal:
-- whether there is one tells whether anybody, of any tenant, has granted it something.
create or replace function rag_internal.identity_names(identity rag_internal.identity)
returns table (
    kind text,
    name text
)
language sql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
    select 'public', 'public' where (identity).source <> 'nobody'
    union all
    select 'user', substr((identity).reader, 6) where (identity).reader like 'user:%'
    union all
    select 'group', g from unnest((identity).groups) g
    union all
    select 'role', r.rolname
    from pg_roles r
    where case when (identity).source = 'database role'
               then r.rolname = (identity).who
                    or (not (identity).sees_everything
                        and pg_has_role((identity).who, r.oid, 'usage'))
               else exists (select from rag_internal.principal p
                            where p.principal_id = any ((identity).principal_ids)
                              and p.kind = 'role' and p.role_oid = r.oid) end
$$;

comment on function rag_internal.identity_names(rag_internal.identity) is
    'kind and name of the readers that an identity is.';
alter function rag_internal.identity_names(rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.identity_names(rag_internal.identity) from public;
