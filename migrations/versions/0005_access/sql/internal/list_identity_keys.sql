-- The keys that signed tokens are verified with, without the keys themselves.
create or replace function rag_internal.list_identity_keys(who name, ticket bytea)
returns setof rag.identity_key
language plpgsql stable parallel unsafe security definer
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
            message = 'only rag_admin may see which keys there are',
            hint    = 'Ask an administrator.';
    end if;
    return query
    select i.kid, i.algorithm, i.issuer, i.audience, i.tenant, i.not_before, i.not_after,
           i.created_at,
           coalesce(i.not_before <= clock_timestamp(), true)
           and coalesce(i.not_after > clock_timestamp(), true)
    from rag_internal.identity_key i
    order by i.kid;
end
$$;

comment on function rag_internal.list_identity_keys(name, bytea) is 'See rag.list_identity_keys.';
alter function rag_internal.list_identity_keys(name, bytea) owner to rag_owner;
revoke all on function rag_internal.list_identity_keys(name, bytea) from public;
grant execute on function rag_internal.list_identity_keys(name, bytea) to rag_admin;
