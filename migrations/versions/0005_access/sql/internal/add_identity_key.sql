-- Keeps a key that signed tokens are verified with.
create or replace function rag_internal.add_identity_key(
    who        name,
    ticket     bytea,
    kid        text,
    algorithm  text,
    key        text,
    issuer     text,
    audience   text,
    tenant     text,
    not_before timestamptz,
    not_after  timestamptz
) returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _problem text;
    _key text;
begin
    if not (rag_internal.authenticate(who, ticket)).sees_everything then
        raise exception using
            errcode = '42501',
            message = 'only rag_admin may add keys that prove who asks',
            hint    = 'Ask an administrator.';
    end if;
    _problem := case
        when kid is null or algorithm is null or key is null then 'kid, algorithm or key is null'
        -- visible ASCII, so that no two look alike
        when kid !~ '^[!-~]{1,200}$' then 'kid is not 1 to 200 visible ASCII characters'
        when issuer is not null and rag_internal.is_blank(issuer)
          or audience is not null and rag_internal.is_blank(audience)
          or tenant <> '' and rag_internal.is_blank(tenant)
            then 'issuer, audience or tenant has no visible character'
        when greatest(length(issuer), length(audience), length(tenant)) > 200
            then 'issuer, audience and tenant have at most 200 characters'
        when not_after <= not_before then 'not_after is not after not_before' end;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'kid is the name that the header of a token gives; issuer, audience and '
                      'tenant are null where they are not to be checked.';
    end if;
    _key := rag_internal.stored_identity_key(algorithm, key);
    insert into rag_internal.identity_key
        (kid, algorithm, key, issuer, audience, tenant, not_before, not_after)
    values (kid, algorithm, _key, issuer, audience, tenant, not_before, not_after)
    on conflict on constraint identity_key_pkey do update
    set algorithm = excluded.algorithm, key = excluded.key, issuer = excluded.issuer,
        audience = excluded.audience, tenant = excluded.tenant, not_before = excluded.not_before,
        not_after = excluded.not_after;
end
$$;

comment on function rag_internal.add_identity_key(name, bytea, text, text, text, text, text, text,
    timestamptz, timestamptz) is 'See rag.add_identity_key.';
alter function rag_internal.add_identity_key(name, bytea, text, text, text, text, text, text,
    timestamptz, timestamptz) owner to rag_owner;
revoke all on function rag_internal.add_identity_key(name, bytea, text, text, text, text, text,
    text, timestamptz, timestamptz) from public;
grant execute on function rag_internal.add_identity_key(name, bytea, text, text, text, text, text,
    text, timestamptz, timestamptz) to rag_admin;
