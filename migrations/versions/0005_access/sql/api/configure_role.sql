-- Says how a database role asks.
create or replace function rag.configure_role(
    role           text,
    token_required boolean default null,
    clearance      integer default null,
    tenant         text    default null
) returns void
language sql volatile parallel unsafe
begin atomic
    select rag_internal.configure_role(c.who, c.ticket, configure_role.role,
                                       configure_role.token_required, configure_role.clearance,
                                       configure_role.tenant)
    from rag_internal.caller c;
end;

comment on function rag.configure_role(text, boolean, integer, text) is
    'rag_admin only; null keeps what is configured. It holds for the role and for every role that '
    'has usage of it, superusers apart. token_required: without a token it is nobody, and reads '
    'nothing. clearance: the highest security level it reads. tenant: the only one it reads and '
    'writes in; a role of several is nobody. A role made anew under the name is nobody until it is '
    'configured again.';
alter function rag.configure_role(text, boolean, integer, text) owner to rag_owner;
revoke all on function rag.configure_role(text, boolean, integer, text) from public;
grant execute on function rag.configure_role(text, boolean, integer, text) to rag_admin;
