-- The one door to an identity: checks the ticket, then resolves what the role may be. Fails closed.
create or replace function rag_internal.authenticate(who name, ticket bytea)
returns rag_internal.identity
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _identity rag_internal.identity;
begin
    if authenticate.ticket is distinct from
       (select rag_internal.ticket(k.secret, authenticate.who) from rag_internal.ticket_key k) then
        raise exception using
            errcode = '28000',
            message = 'ragsql cannot tell who is asking',
            hint    = 'Call the functions of schema rag, not those of rag_internal.';
    end if;

    _identity.who := authenticate.who;
    _identity.tenant := '';
    _identity.clearance := 0;
    _identity.sees_everything := pg_has_role(authenticate.who, 'rag_admin', 'usage')
                              or pg_has_role(authenticate.who, 'rag_owner', 'usage');
    _identity.principal_ids := array(
        select p.principal_id
        from rag_internal.principal p
        left join pg_roles r on r.oid = p.role_oid and r.rolname = p.name
        where p.kind = 'public'
           or (p.kind = 'role' and pg_has_role(authenticate.who, r.oid, 'usage')));
    return _identity;
end
$$;

comment on function rag_internal.authenticate(name, bytea) is
    'The identity behind a ticket: 28000 when the ticket does not verify. Roles are those that the '
    'caller has usage of; superusers and rag_admin see everything.';
alter function rag_internal.authenticate(name, bytea) owner to rag_owner;
revoke all on function rag_internal.authenticate(name, bytea) from public;
