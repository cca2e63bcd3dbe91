-- How the owner of a collection is shown: a role by its name, as everywhere in PostgreSQL.
create or replace function rag_internal.owner_name(owner rag_internal.principal) returns text
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select case (owner).kind when 'role' then (owner).name
                else rag_internal.reader_name(owner) end
$$;

comment on function rag_internal.owner_name(rag_internal.principal) is
    'NAME of a role, user:NAME of a user.';
alter function rag_internal.owner_name(rag_internal.principal) owner to rag_owner;
revoke all on function rag_internal.owner_name(rag_internal.principal) from public;
