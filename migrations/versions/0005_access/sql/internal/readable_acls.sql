-- What row security asks: the sharing classes of the caller.
create or replace function rag_internal.readable_acls(who name, ticket bytea)
returns setof bigint
language sql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
    select rag_internal.visible_acls(rag_internal.authenticate(who, ticket))
$$;

comment on function rag_internal.readable_acls(name, bytea) is
    'acl_id of each sharing class that the caller may read; used by policies.';
alter function rag_internal.readable_acls(name, bytea) owner to rag_owner;
revoke all on function rag_internal.readable_acls(name, bytea) from public;
grant execute on function rag_internal.readable_acls(name, bytea) to rag_reader;
