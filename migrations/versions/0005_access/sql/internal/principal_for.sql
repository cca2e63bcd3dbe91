-- The principal that a reader is written as: role:NAME (or NAME), user:NAME, group:NAME or public.
create or replace function rag_internal.principal_for(reader text, tenant text) returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _key rag_internal.principal := rag_internal.principal_key(reader, principal_for.tenant);
    _principal_id bigint;
begin
    if _key.kind = 'role' and _key.role_oid is null then
        raise exception using
            errcode = '42704',
            message = format('role "%s" does not exist', _key.name),
            hint    = 'A reader is role:NAME, NAME of a role, user:NAME, group:NAME or public.';
    end if;
    loop
        select p.principal_id into _principal_id
        from rag_internal.principal p
        where p.tenant = _key.tenant and p.kind = _key.kind and p.name = _key.name
          and p.role_oid is not distinct from _key.role_oid;
        exit when found;
        insert into rag_internal.principal (kind, name, role_oid, tenant)
        values (_key.kind, _key.name, _key.role_oid, _key.tenant)
        on conflict do nothing;
    end loop;
    return _principal_id;
end
$$;

comment on function rag_internal.principal_for(text, text) is
    'principal_id of a reader, registered at first use; users and groups are those of the tenant. '
    '22023 for a malformed one, 42704 for an unknown role.';
alter function rag_internal.principal_for(text, text) owner to rag_owner;
revoke all on function rag_internal.principal_for(text, text) from public;
