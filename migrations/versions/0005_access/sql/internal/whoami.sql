-- Who the caller is to ragsql, in words.
create or replace function rag_internal.whoami(who name, ticket bytea, token text)
returns rag.identity
language sql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
    select coalesce(case when i.source = 'database role' then i.who else i.reader end, 'nobody'),
           i.source,
           array(select n.kind || case n.kind when 'public' then '' else ':' || n.name end
                 from rag_internal.identity_names(i) n
                 order by 1),
           i.tenant,
           i.clearance::integer,
           i.sees_everything,
           i.why
    from rag_internal.authenticate(who, ticket, token) i
$$;

comment on function rag_internal.whoami(name, bytea, text) is 'See rag.whoami.';
alter function rag_internal.whoami(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.whoami(name, bytea, text) from public;
grant execute on function rag_internal.whoami(name, bytea, text) to rag_reader;
