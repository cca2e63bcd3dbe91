-- How a grantee is shown to who granted it.
create or replace function rag_internal.shown_name(principal rag_internal.principal) returns text
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select rag_internal.reader_name(principal)
        || case when (principal).kind = 'role'
                     and not exists (select from pg_roles r
                                     where r.oid = (principal).role_oid
                                       and r.rolname = (principal).name)
                then ' (gone)' else '' end
$$;

comment on function rag_internal.shown_name(rag_internal.principal) is
    'rag_internal.reader_name, and (gone) for a role that no longer exists.';
alter function rag_internal.shown_name(rag_internal.principal) owner to rag_owner;
revoke all on function rag_internal.shown_name(rag_internal.principal) from public;
