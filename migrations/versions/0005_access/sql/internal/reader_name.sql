-- How a reader is written.
create or replace function rag_internal.reader_name(principal rag_internal.principal) returns text
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select case (principal).kind when 'public' then 'public'
                else (principal).kind || ':' || (principal).name end
$$;

comment on function rag_internal.reader_name(rag_internal.principal) is
    'role:NAME, user:NAME, group:NAME or public.';
alter function rag_internal.reader_name(rag_internal.principal) owner to rag_owner;
revoke all on function rag_internal.reader_name(rag_internal.principal) from public;
