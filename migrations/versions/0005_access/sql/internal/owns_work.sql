-- Whose work something is: that of a user, or of the role that has the name and oid today.
create or replace function rag_internal.owns_work(
    role_name name,
    role_oid  oid,
    reader    text,
    tenant    text,
    identity  rag_internal.identity
) returns boolean
language sql stable parallel safe
begin atomic
    select coalesce(
        (identity).sees_everything
        or (owns_work.tenant = (identity).tenant
            and coalesce(owns_work.reader, 'role:' || role_name) = (identity).reader
            and ((identity).reader like 'user:%'
                 or (role_name = (identity).who
                     and owns_work.role_oid = quote_ident((identity).who)::regrole))),
        false);
end;

comment on function rag_internal.owns_work(name, oid, text, text, rag_internal.identity) is
    'Whether the identity is who ran the work (reader null: the role), or sees everything.';
alter function rag_internal.owns_work(name, oid, text, text,
    rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.owns_work(name, oid, text, text,
    rag_internal.identity) from public;
