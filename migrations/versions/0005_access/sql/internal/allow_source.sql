-- Restricts a tenant to the sources it is allowed, and allows it one.
create or replace function rag_internal.allow_source(
    who        name,
    ticket     bytea,
    collection text,
    tenant     text,
    may_search boolean,
    may_ingest boolean
) returns void
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
    if allow_source.tenant is null or may_search is null or may_ingest is null then
        raise exception using
            errcode = '22023',
            message = 'tenant, may_search and may_ingest may not be null',
            hint    = 'The tenant of roles without one is ''''.';
    end if;
    insert into rag_internal.restricted_tenant (tenant) values (allow_source.tenant)
    on conflict do nothing;
    if allow_source.collection is null then
        return;
    end if;
    perform rag_internal.check_name(allow_source.collection);
    insert into rag_internal.allowed_source as s (tenant, collection, may_search, may_ingest)
    values (allow_source.tenant, allow_source.collection, allow_source.may_search,
            allow_source.may_ingest)
    on conflict on constraint allowed_source_pkey do update
    set may_search = excluded.may_search, may_ingest = excluded.may_ingest
    where (s.may_search, s.may_ingest) <> (excluded.may_search, excluded.may_ingest);
end
$$;

comment on function rag_internal.allow_source(name, bytea, text, text, boolean, boolean) is
    'See rag.allow_source.';
alter function rag_internal.allow_source(name, bytea, text, text, boolean,
    boolean) owner to rag_owner;
revoke all on function rag_internal.allow_source(name, bytea, text, text, boolean,
    boolean) from public;
grant execute on function rag_internal.allow_source(name, bytea, text, text, boolean,
    boolean) to rag_admin;
