-- Forgets a key that signed tokens are verified with.
create or replace function rag.drop_identity_key(kid text) returns void
language sql volatile parallel unsafe
begin atomic
    select rag_internal.drop_identity_key(c.who, c.ticket, drop_identity_key.kid)
    from rag_internal.caller c;
end;

comment on function rag.drop_identity_key(text) is
    'Removes a key (rag_admin only): tokens signed with it are refused from the next statement on, '
    'in all sessions. P0002 where there is none.';
alter function rag.drop_identity_key(text) owner to rag_owner;
revoke all on function rag.drop_identity_key(text) from public;
grant execute on function rag.drop_identity_key(text) to rag_admin;
