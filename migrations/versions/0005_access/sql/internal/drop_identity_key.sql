-- Forgets a key that signed tokens are verified with.
create or replace function rag_internal.drop_identity_key(who name, ticket bytea, kid text)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
begin
    if not (rag_internal.authenticate(who, ticket)).sees_everything then
        raise exception using
            errcode = '42501',
            message = 'only rag_admin may remove keys that prove who asks',
            hint    = 'Ask an administrator.';
    end if;
    delete from rag_internal.identity_key i where i.kid = drop_identity_key.kid;
    if not found then
        raise exception using
            errcode = 'P0002',
            message = format('there is no key "%s"', left(drop_identity_key.kid, 200)),
            hint    = 'rag.list_identity_keys() shows the keys there are.';
    end if;
end
$$;

comment on function rag_internal.drop_identity_key(name, bytea, text) is
    'See rag.drop_identity_key.';
alter function rag_internal.drop_identity_key(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.drop_identity_key(name, bytea, text) from public;
grant execute on function rag_internal.drop_identity_key(name, bytea, text) to rag_admin;
