-- Whom a reader that is to lose something has stood for: the role of that name today, and those
-- that had the name before it.
create or replace function rag_internal.principals_named(reader text) returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _principal_ids bigint[] := array(
        select p.principal_id
        from rag_internal.principal p
        where p.tenant = ''
          and case when reader = 'public' then p.kind = 'public'
                   else p.kind = 'role' and p.name = regexp_replace(reader, '^role:', '') end);
begin
    -- one who was never granted anything is known by name, or refused
    return case when _principal_ids = '{}' then array[rag_internal.principal_for(reader)]
                else _principal_ids end;
end
$$;

comment on function rag_internal.principals_named(text) is
    'principal_id of everybody the reader has stood for, dropped roles too; 22023 and 42704 as '
    'rag_internal.principal_for.';
alter function rag_internal.principals_named(text) owner to rag_owner;
revoke all on function rag_internal.principals_named(text) from public;
