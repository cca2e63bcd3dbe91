-- The principals of a user who is no database role: itself, its groups, and everybody.
create or replace function rag_internal.user_principals(
    user_name text,
    groups    text[],
    tenant    text
) returns bigint[]
language sql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
    select array(
        select p.principal_id
        from rag_internal.principal p
        where p.tenant = user_principals.tenant
          and (p.kind = 'user' and p.name = user_principals.user_name
               or p.kind = 'group' and p.name = any (user_principals.groups))
        union all
        select p.principal_id from rag_internal.principal p
        where p.tenant = '' and p.kind = 'public')
$$;

comment on function rag_internal.user_principals(text, text[], text) is
    'principal_id of a user (null: none) and groups of a tenant that were granted anything, and of '
    'public.';
alter function rag_internal.user_principals(text, text[], text) owner to rag_owner;
revoke all on function rag_internal.user_principals(text, text[], text) from public;
