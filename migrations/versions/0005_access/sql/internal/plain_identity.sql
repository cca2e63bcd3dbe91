-- A role as who changes documents by plain SQL.
create or replace function rag_internal.plain_identity(who name) returns rag_internal.identity
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select row(who, '', 0, false, '{}', 'database role', 'role:' || who,
               null, '{}')::rag_internal.identity
$$;

comment on function rag_internal.plain_identity(name) is
    'An identity that owns jobs, and may read nothing.';
alter function rag_internal.plain_identity(name) owner to rag_owner;
revoke all on function rag_internal.plain_identity(name) from public;
