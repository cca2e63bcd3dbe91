-- Whom a reader that is to lose something has stood for: the role of that name today, and those
-- that had the name before it.
create or replace function rag_internal.principals_named(reader text, tenant text)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _key rag_internal.principal := rag_internal.principal_key(reader, principals_named.tenant);
    _principal_ids bigint[] := array(
        select p.principal_id
        from rag_internal.principal p
        where p.tenant = _key.tenant and p.kind = _key.kind and p.name = _key.name);
begin
    -- a role that was never granted anything is known by name, or refused
    if _principal_ids = '{}' and _key.kind = 'role' then
        return array[rag_internal.principal_for(reader, principals_named.tenant)];
    end if;
    return _principal_ids;
end
$$;

comment on function rag_internal.principals_named(text, text) is
    'principal_id of everybody the reader has stood for, dropped roles too; 22023 and 42704 as '
    'rag_internal.principal_for.';
alter function rag_internal.principals_named(text, text) owner to rag_owner;
revoke all on function rag_internal.principals_named(text, text) from public;
