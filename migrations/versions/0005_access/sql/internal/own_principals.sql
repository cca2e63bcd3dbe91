-- What row security asks: the principals that the caller is.
create or replace function rag_internal.own_principals(who name, ticket bytea)
returns setof bigint
language sql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
    select p.principal_id
    from rag_internal.authenticate(who, ticket) i
    join rag_internal.principal p on i.sees_everything or p.principal_id = any (i.principal_ids)
$$;

comment on function rag_internal.own_principals(name, bytea) is
    'principal_id of each principal that the caller is (of all, for who sees everything); used by '
    'policies.';
alter function rag_internal.own_principals(name, bytea) owner to rag_owner;
revoke all on function rag_internal.own_principals(name, bytea) from public;
grant execute on function rag_internal.own_principals(name, bytea) to rag_reader;
