-- The one door to an identity: checks the ticket, then finds out who asks. Fails closed: a token
-- that does not verify never falls through to the role, and a service that names nobody is nobody.
create or replace function rag_internal.authenticate(
    who    name,
    ticket bytea,
    token  text default null
) returns rag_internal.identity
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _token text := nullif(authenticate.token, '');
    _setting text := nullif(current_setting('rag.token', true), '');
begin
    if authenticate.ticket is distinct from
       (select rag_internal.ticket(k.secret, authenticate.who) from rag_internal.ticket_key k) then
        raise exception using
            errcode = '28000',
            message = 'ragsql cannot tell who is asking',
            hint    = 'Call the functions of schema rag, not those of rag_internal.';
    end if;

    if _token is null and _setting is not null then
        -- in functions, upkeep and views of others a setting says nothing of who asks
        if not rag_internal.is_session_role(who) then
            return rag_internal.nobody(who, 'rag.token was set by another role than asks here');
        end if;
        _token := _setting;
    end if;
    if _token is not null then
        return rag_internal.token_identity(who, rag_internal.verified_claims(_token));
    end if;
    return rag_internal.role_identity(who);
end
$$;

comment on function rag_internal.authenticate(name, bytea, text) is
    'The identity behind a ticket: by the token (null or empty: that of the setting rag.token), '
    'else by the settings of a trusted service, else by the role. 28000 when the ticket or the '
    'token does not verify.';
alter function rag_internal.authenticate(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.authenticate(name, bytea, text) from public;
