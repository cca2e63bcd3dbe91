-- Says how a database role asks: with a token only, with which clearance, in which tenant.
create or replace function rag_internal.configure_role(
    who            name,
    ticket         bytea,
    role           text,
    token_required boolean,
    clearance      integer,
    tenant         text
) returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _role_oid oid := (select r.oid from pg_roles r where r.rolname = configure_role.role);
begin
    perform rag_internal.require_admin(rag_internal.authenticate(who, ticket),
                                       'configure roles');
    if _role_oid is null then
        raise exception using
            errcode = '42704',
            message = format('role "%s" does not exist', configure_role.role),
            hint    = 'Make it first: create role ...;';
    elsif clearance not between 0 and 32767 or length(configure_role.tenant) > 200 then
        raise exception using
            errcode = '22023',
            message = 'clearance is not 0 to 32767, or tenant has more than 200 characters',
            hint    = 'Null keeps what is configured.';
    end if;
    insert into rag_internal.role_rule as r (name, role_oid, token_required, clearance, tenant)
    values (configure_role.role, _role_oid, coalesce(configure_role.token_required, false),
            coalesce(configure_role.clearance, 0), coalesce(configure_role.tenant, ''))
    on conflict (name) do update
    set role_oid = excluded.role_oid,
        token_required = coalesce(configure_role.token_required, r.token_required),
        clearance = coalesce(configure_role.clearance, r.clearance),
        tenant = coalesce(configure_role.tenant, r.tenant);
    delete from rag_internal.role_rule r
    where r.name = configure_role.role and not r.token_required and r.clearance = 0
      and r.tenant = '';
end
$$;

comment on function rag_internal.configure_role(name, bytea, text, boolean, integer, text) is
    'See rag.configure_role.';
alter function rag_internal.configure_role(name, bytea, text, boolean, integer,
    text) owner to rag_owner;
revoke all on function rag_internal.configure_role(name, bytea, text, boolean, integer,
    text) from public;
grant execute on function rag_internal.configure_role(name, bytea, text, boolean, integer,
    text) to rag_admin;
