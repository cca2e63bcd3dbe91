-- The readers that the caller is; all that were ever granted something, for who sees everything.
create or replace function rag_internal.readable_principals(who name, ticket bytea)
returns table (
    kind       text,
    name       text,
    created_at timestamptz
)
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    return query
        select p.kind, p.name::text, p.created_at
        from rag_internal.principal p
        where _identity.sees_everything
        union all
        select n.kind, n.name, null
        from rag_internal.identity_names(_identity) n
        where not _identity.sees_everything;
end
$$;

comment on function rag_internal.readable_principals(name, bytea) is 'Rows of rag.principal.';
alter function rag_internal.readable_principals(name, bytea) owner to rag_owner;
revoke all on function rag_internal.readable_principals(name, bytea) from public;
grant execute on function rag_internal.readable_principals(name, bytea) to rag_reader;
