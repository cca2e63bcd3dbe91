-- Takes a source from a restricted tenant, or the restriction with all its sources.
create or replace function rag_internal.disallow_source(
    who             name,
    ticket          bytea,
    collection      text,
    tenant          text,
    is_unrestricted boolean
) returns boolean
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
begin
    perform rag_internal.require_admin(rag_internal.authenticate(who, ticket),
                                       'say what a tenant may search');
    if is_unrestricted then
        delete from rag_internal.restricted_tenant r
        where r.tenant = disallow_source.tenant;
    else
        delete from rag_internal.allowed_source s
        where s.tenant = disallow_source.tenant and s.collection = disallow_source.collection;
    end if;
    return found;
end
$$;

comment on function rag_internal.disallow_source(name, bytea, text, text, boolean) is
    'See rag.disallow_source and rag.allow_all_sources.';
alter function rag_internal.disallow_source(name, bytea, text, text, boolean) owner to rag_owner;
revoke all on function rag_internal.disallow_source(name, bytea, text, text, boolean) from public;
grant execute on function rag_internal.disallow_source(name, bytea, text, text,
    boolean) to rag_admin;
