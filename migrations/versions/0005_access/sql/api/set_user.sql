-- Lets a trusted service say for whom it asks, for the rest of the transaction.
create or replace function rag.set_user(
    user_name text,
    groups    text[]  default '{}',
    tenant    text    default '',
    clearance integer default 0
) returns setof rag.identity
language sql volatile parallel unsafe
begin atomic
    select i.*
    from rag_internal.caller c,
         lateral rag_internal.set_user(c.who, c.ticket, set_user.user_name, set_user.groups,
                                       set_user.tenant, set_user.clearance) i;
end;

comment on function rag.set_user(text, text[], text, integer) is
    'For roles with usage of rag_service, others are 42501: what is asked in this transaction from '
    'now on is asked by this user (null or empty: by the groups alone; without groups either: by '
    'nobody). Sets rag.user, rag.groups, rag.tenant and rag.clearance of the transaction, and '
    'takes back rag.token. Outside a transaction block it ends with the statement.';
alter function rag.set_user(text, text[], text, integer) owner to rag_owner;
revoke all on function rag.set_user(text, text[], text, integer) from public;
grant execute on function rag.set_user(text, text[], text, integer) to rag_service;
