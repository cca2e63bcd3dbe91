-- The principal that a reader is written as: role:NAME (or NAME) or public.
create or replace function rag_internal.principal_for(reader text) returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _kind text := case when reader = 'public' then 'public' else 'role' end;
    _name text := case when reader = 'public' then 'public'
                       else regexp_replace(reader, '^role:', '') end;
    _role_oid oid;
    _principal_id bigint;
begin
    if reader is null or reader ~ '^(user|group):' or _name = '' then
        raise exception using
            errcode = '22023',
            message = format('"%s" does not name a reader', reader),
            hint    = 'A reader is role:NAME, NAME of a role, or public.';
    end if;
    if _kind = 'role' then
        select r.oid into _role_oid from pg_roles r where r.rolname = _name;
        if not found then
            raise exception using
                errcode = '42704',
                message = format('role "%s" does not exist', _name),
                hint    = 'A reader is role:NAME, NAME of a role, or public.';
        end if;
    end if;

    loop
        select p.principal_id into _principal_id
        from rag_internal.principal p
        where p.tenant = '' and p.kind = _kind and p.name = _name
          and p.role_oid is not distinct from _role_oid;
        exit when found;
        insert into rag_internal.principal (kind, name, role_oid) values (_kind, _name, _role_oid)
        on conflict do nothing;
    end loop;
    return _principal_id;
end
$$;

comment on function rag_internal.principal_for(text) is
    'principal_id of a reader, registered at first use; 22023 for a malformed one, 42704 for an '
    'unknown role.';
alter function rag_internal.principal_for(text) owner to rag_owner;
revoke all on function rag_internal.principal_for(text) from public;
