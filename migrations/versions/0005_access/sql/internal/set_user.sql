-- Lets a trusted service say for whom it asks, for the rest of the transaction.
create or replace function rag_internal.set_user(
    who       name,
    ticket    bytea,
    user_name text,
    groups    text[],
    tenant    text,
    clearance integer
) returns rag.identity
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
begin
    if set_user.clearance not between 0 and 32767 then
        raise exception using
            errcode = '22023',
            message = format('clearance is %s, but must be 0 to 32767', set_user.clearance),
            hint    = 'It is the highest security level that the user reads.';
    end if;
    perform set_config('rag.token', '', true),
            set_config('rag.user', coalesce(set_user.user_name, ''), true),
            set_config('rag.groups',
                       coalesce(nullif(array_remove(set_user.groups, null), '{}')::text, ''),
                       true),
            set_config('rag.tenant', coalesce(set_user.tenant, ''), true),
            set_config('rag.clearance', coalesce(set_user.clearance, 0)::text, true);
    perform rag_internal.authenticate(who, ticket);
    if not pg_has_role(who, 'rag_service', 'usage') then
        raise exception using
            errcode = '42501',
            message = 'only a trusted service may say for whom it asks',
            hint    = 'grant rag_service to ...; or use a token: rag.set_identity(...).';
    end if;
    return rag_internal.whoami(who, ticket, null);
end
$$;

comment on function rag_internal.set_user(name, bytea, text, text[], text, integer) is
    'See rag.set_user.';
alter function rag_internal.set_user(name, bytea, text, text[], text, integer) owner to rag_owner;
revoke all on function rag_internal.set_user(name, bytea, text, text[], text, integer) from public;
grant execute on function rag_internal.set_user(name, bytea, text, text[], text,
    integer) to rag_service;
