-- The identity of a session without a token: the user that a trusted service names, else the
-- database role. Rules of a role hold for those that have usage of it; a superuser has usage of
-- all, so only rules of its own name hold for it.
create or replace function rag_internal.role_identity(who name) returns rag_internal.identity
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _identity rag_internal.identity;
    -- a login does not shed its rules by taking another role; the owner of a security definer
    -- function, who is reached otherwise, has its own
    _login name := case when rag_internal.is_session_role(who) then session_user end;
    _is_super boolean := exists (select from pg_roles r where r.rolname = who and r.rolsuper);
    _user text := nullif(current_setting('rag.user', true), '');
    _groups text := nullif(current_setting('rag.groups', true), '');
    _is_named boolean := _user is not null or _groups is not null;
    _tenants text[];
    _clearance smallint;
    _why text;
begin
    select coalesce(max(r.clearance) filter (where rag_internal.has_rule(who, r.name)), 0),
           array_agg(distinct r.tenant) filter (where r.tenant <> ''),
           case when bool_or(o.rolname is null)
                then 'a role with rules was made anew since: rag.configure_role says what is true '
                     'now'
                when bool_or(r.token_required)
                then 'the role asks with a token only, and there is none' end
    into _clearance, _tenants, _why
    from rag_internal.role_rule r
    left join pg_roles o on o.oid = r.role_oid and o.rolname = r.name
    where rag_internal.has_rule(who, r.name) or rag_internal.has_rule(_login, r.name);
    if who in ('rag_reader', 'rag_writer', 'rag_service') then
        _why := format('%s is nobody in particular: all who use ragsql can take it', who);
    elsif cardinality(_tenants) > 1 then
        _why := 'the role belongs to several tenants: ' || array_to_string(_tenants, ', ');
    end if;
    if _why is not null then
        return rag_internal.nobody(who, _why);
    end if;

    if pg_has_role(who, 'rag_service', 'usage') and (_is_named or not _is_super)
       or rag_internal.has_rule(_login, 'rag_service') then
        if _login is null then
            return rag_internal.nobody(who, 'a function of a trusted service, in the session of '
                                            'another role, which may have set rag.user');
        elsif not _is_named then
            return rag_internal.nobody(who, 'a trusted service that has set neither rag.user nor '
                                            'rag.groups');
        end if;
        return rag_internal.service_identity(who, coalesce(_tenants[1], ''), _user, _groups);
    end if;

    _identity.who := who;
    _identity.tenant := coalesce(_tenants[1], '');
    _identity.clearance := _clearance;
    _identity.source := 'database role';
    _identity.reader := 'role:' || who;
    _identity.sees_everything := pg_has_role(who, 'rag_admin', 'usage')
                              or pg_has_role(who, 'rag_owner', 'usage');
    _identity.why := case
        when _is_super then 'a superuser sees everything'
        when pg_has_role(who, 'rag_admin', 'usage')
        then 'has usage of rag_admin, which sees everything'
        when _identity.sees_everything then 'has usage of rag_owner, which sees everything'
        else 'current_user, and the roles it has usage of' end;
    _identity.principal_ids := array(
        select p.principal_id
        from rag_internal.principal p
        left join pg_roles r on r.oid = p.role_oid and r.rolname = p.name
        where p.kind = 'public'
           or (p.kind = 'role' and pg_has_role(who, r.oid, 'usage')));
    return _identity;
end
$$;

comment on function rag_internal.role_identity(name) is
    'The identity of a role by itself: a trusted service is whom its settings name, and nobody '
    'without; else the role with all it has usage of. Superusers and rag_admin see everything.';
alter function rag_internal.role_identity(name) owner to rag_owner;
revoke all on function rag_internal.role_identity(name) from public;
