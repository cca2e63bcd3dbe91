-- The identity that the claims of a verified token name. A token that names a role is good for
-- sessions of that role alone, and adds what the role can read.
create or replace function rag_internal.token_identity(who name, claims jsonb)
returns rag_internal.identity
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _identity rag_internal.identity;
    _role oid := (select r.oid from pg_roles r where r.rolname = claims ->> 'role');
begin
    if claims ->> 'role' is not null
       and (_role is null or not pg_has_role(who, _role, 'usage')) then
        raise exception using
            errcode = '28000',
            message = 'token refused: it is for another database role',
            hint    = 'The current user needs usage of the role that the token names.';
    end if;
    _identity.who := who;
    _identity.tenant := coalesce(claims ->> 'tenant', '');
    _identity.clearance := coalesce((claims ->> 'clearance')::smallint, 0);
    _identity.sees_everything := false;
    _identity.source := 'token';
    _identity.reader := 'user:' || (claims ->> 'sub');
    _identity.why := format('a token signed with key "%s"', claims ->> 'kid');
    _identity.groups := array(select jsonb_array_elements_text(claims -> 'groups'));
    _identity.principal_ids := rag_internal.user_principals(
        claims ->> 'sub', _identity.groups, _identity.tenant)
        || array(select p.principal_id from rag_internal.principal p
                 where p.kind = 'role' and p.role_oid = _role and p.name = claims ->> 'role');
    return _identity;
end
$$;

comment on function rag_internal.token_identity(name, jsonb) is
    'The user, groups, tenant and clearance of rag_internal.verified_claims, and its role; 28000 '
    'where the current user does not have usage of that role.';
alter function rag_internal.token_identity(name, jsonb) owner to rag_owner;
revoke all on function rag_internal.token_identity(name, jsonb) from public;
