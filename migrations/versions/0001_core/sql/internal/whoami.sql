-- Who the caller is to ragsql, in words.
create or replace function rag_internal.whoami(who name, ticket bytea) returns rag.identity
language sql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
    select (i.who)::text,
           'database role',
           array(select case p.kind when 'public' then 'public' else p.kind || ':' || p.name end
                 from rag_internal.principal p
                 where p.principal_id = any (i.principal_ids)
                 order by 1),
           i.tenant,
           i.clearance::integer,
           i.sees_everything,
           case when r.rolsuper then 'a superuser sees everything'
                when pg_has_role(i.who, 'rag_admin', 'usage')
                then 'has usage of rag_admin, which sees everything'
                when pg_has_role(i.who, 'rag_owner', 'usage')
                then 'has usage of rag_owner, which sees everything'
                else 'current_user, and the roles it has usage of' end
    from rag_internal.authenticate(who, ticket) i
    left join pg_roles r on r.rolname = i.who
$$;

comment on function rag_internal.whoami(name, bytea) is 'See rag.whoami.';
alter function rag_internal.whoami(name, bytea) owner to rag_owner;
revoke all on function rag_internal.whoami(name, bytea) from public;
grant execute on function rag_internal.whoami(name, bytea) to rag_reader;
