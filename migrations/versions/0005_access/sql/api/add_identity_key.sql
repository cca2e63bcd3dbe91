-- Keeps a key that signed tokens are verified with.
create or replace function rag.add_identity_key(
    kid        text,
    algorithm  text,
    key        text,
    issuer     text default null,
    audience   text default null,
    tenant     text default null,
    not_before timestamptz default null,
    not_after  timestamptz default null
) returns void
language sql volatile parallel unsafe
begin atomic
    select rag_internal.add_identity_key(
        c.who, c.ticket, add_identity_key.kid, add_identity_key.algorithm, add_identity_key.key,
        add_identity_key.issuer, add_identity_key.audience, add_identity_key.tenant,
        add_identity_key.not_before, add_identity_key.not_after)
    from rag_internal.caller c;
end;

comment on function rag.add_identity_key(text, text, text, text, text, text, timestamptz,
    timestamptz) is
    'Adds or replaces a key that tokens (JWT) naming it as kid are verified with (rag_admin only). '
    'algorithm: HS256 (key is the secret, of 32 bytes or more), RS256, ES256 or EdDSA (key is the '
    'public key, PEM). issuer and audience: what iss has to be and aud has to contain; without an '
    'audience, tokens with aud are refused. tenant: the only one its tokens may name, and theirs '
    'where they name none; empty: they may name none. null: not checked. The key may be used from '
    'not_before until not_after.';
alter function rag.add_identity_key(text, text, text, text, text, text, timestamptz,
    timestamptz) owner to rag_owner;
revoke all on function rag.add_identity_key(text, text, text, text, text, text, timestamptz,
    timestamptz) from public;
grant execute on function rag.add_identity_key(text, text, text, text, text, text, timestamptz,
    timestamptz) to rag_admin;
