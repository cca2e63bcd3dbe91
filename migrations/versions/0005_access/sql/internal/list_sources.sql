-- What restricted tenants may search and ingest into.
create or replace function rag_internal.list_sources(who name, ticket bytea)
returns setof rag.source_rule
language sql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
    select r.tenant, s.collection, s.may_search, s.may_ingest
    from rag_internal.authenticate(who, ticket) i
    join rag_internal.restricted_tenant r
      on i.sees_everything or (r.tenant = i.tenant and i.source <> 'nobody')
    left join rag_internal.allowed_source s on s.tenant = r.tenant
    order by 1, 2
$$;

comment on function rag_internal.list_sources(name, bytea) is 'See rag.list_sources.';
alter function rag_internal.list_sources(name, bytea) owner to rag_owner;
revoke all on function rag_internal.list_sources(name, bytea) from public;
grant execute on function rag_internal.list_sources(name, bytea) to rag_reader;
