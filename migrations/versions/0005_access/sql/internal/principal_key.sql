-- Reads how a reader is written. Roles and public are the same in every tenant; what they can read
-- is bounded by the tenant of the sharing class.
create or replace function rag_internal.principal_key(reader text, tenant text)
returns rag_internal.principal
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _key rag_internal.principal;
begin
    _key.kind := case when reader = 'public' then 'public'
                      else coalesce(substring(reader from '^(role|user|group):'), 'role') end;
    _key.name := case when reader = 'public' then 'public'
                      else regexp_replace(reader, '^(role|user|group):', '') end;
    if coalesce(_key.name, '') = '' or length(_key.name) > 200
       or rag_internal.is_blank(_key.name) then
        raise exception using
            errcode = '22023',
            message = format('"%s" does not name a reader', left(reader, 200)),
            hint    = 'A reader is role:NAME, NAME of a role, user:NAME, group:NAME or public.';
    end if;
    _key.tenant := case when _key.kind in ('user', 'group') then principal_key.tenant else '' end;
    if _key.kind = 'role' then
        _key.role_oid := (select r.oid from pg_roles r where r.rolname = _key.name);
    end if;
    return _key;
end
$$;

comment on function rag_internal.principal_key(text, text) is
    'kind, name, tenant and role_oid (null: no such role) of a reader; 22023 for a malformed one.';
alter function rag_internal.principal_key(text, text) owner to rag_owner;
revoke all on function rag_internal.principal_key(text, text) from public;
