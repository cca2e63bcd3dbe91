-- Sets who asks, for the rest of the transaction.
create or replace function rag_internal.set_identity(who name, ticket bytea, token text)
returns rag.identity
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
begin
    if coalesce(set_identity.token, '') = '' then
        raise exception using
            errcode = '28000',
            message = 'token refused: there is none',
            hint    = 'Give a signed token; reset rag.token goes back to the role.';
    end if;
    perform rag_internal.authenticate(who, ticket, set_identity.token);
    perform set_config('rag.token', set_identity.token, true);
    return rag_internal.whoami(who, ticket, null);
end
$$;

comment on function rag_internal.set_identity(name, bytea, text) is 'See rag.set_identity.';
alter function rag_internal.set_identity(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.set_identity(name, bytea, text) from public;
grant execute on function rag_internal.set_identity(name, bytea, text) to rag_reader;
