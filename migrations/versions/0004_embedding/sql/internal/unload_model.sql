-- Gives the memory of the session's models back.
create or replace function rag_internal.unload_model(who name, ticket bytea) returns integer
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
begin
    perform rag_internal.authenticate(who, ticket);
    return rag_internal.unload_models();
end
$$;

comment on function rag_internal.unload_model(name, bytea) is
    'See rag.unload_model.';
alter function rag_internal.unload_model(name, bytea) owner to rag_owner;
revoke all on function rag_internal.unload_model(name, bytea) from public;
grant execute on function rag_internal.unload_model(name, bytea) to rag_reader;
