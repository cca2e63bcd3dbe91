-- What row security asks of jobs and loads.
create or replace function rag_internal.is_own_work(
    who       name,
    ticket    bytea,
    role_name name,
    role_oid  oid,
    reader    text,
    tenant    text
) returns boolean
language sql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
    select rag_internal.owns_work(role_name, role_oid, reader, tenant,
                                  rag_internal.authenticate(who, ticket))
$$;

comment on function rag_internal.is_own_work(name, bytea, name, oid, text, text) is
    'Whether the caller ran the work; used by policies.';
alter function rag_internal.is_own_work(name, bytea, name, oid, text, text) owner to rag_owner;
revoke all on function rag_internal.is_own_work(name, bytea, name, oid, text, text) from public;
grant execute on function rag_internal.is_own_work(name, bytea, name, oid, text,
    text) to rag_reader;
