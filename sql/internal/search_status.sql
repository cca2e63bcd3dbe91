-- How the last search of the caller in this session ended.
create or replace function rag_internal.search_status(who name, ticket bytea, token text)
returns text
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
begin
    return rag_internal.noted_search_status(rag_internal.authenticate(who, ticket, token));
end
$$;

comment on function rag_internal.search_status(name, bytea, text) is 'See rag.search_status.';
alter function rag_internal.search_status(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.search_status(name, bytea, text) from public;
grant execute on function rag_internal.search_status(name, bytea, text) to rag_reader;
