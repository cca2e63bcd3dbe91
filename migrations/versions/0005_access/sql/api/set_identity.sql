-- Sets who asks, for the rest of the transaction.
create or replace function rag.set_identity(token text) returns setof rag.identity
language sql volatile parallel unsafe
begin atomic
    select i.*
    from rag_internal.caller c,
         lateral rag_internal.set_identity(c.who, c.ticket, set_identity.token) i;
end;

comment on function rag.set_identity(text) is
    'Verifies the token and makes it the setting rag.token of the transaction: what is asked in it '
    'from now on is asked by whom the token names. Outside a transaction block it ends with the '
    'statement. Returns that identity; 28000 for a token that does not verify.';
alter function rag.set_identity(text) owner to rag_owner;
revoke all on function rag.set_identity(text) from public;
grant execute on function rag.set_identity(text) to rag_reader;
