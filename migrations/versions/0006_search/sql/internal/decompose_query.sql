-- Takes a caller's question apart.
create or replace function rag_internal.decompose_query(who name, ticket bytea, query text)
returns setof rag.query_part
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
begin
    perform rag_internal.authenticate(who, ticket);
    perform rag_internal.check_query(decompose_query.query);
    return query select p.* from rag_internal.parts_of(decompose_query.query) p;
end
$$;

comment on function rag_internal.decompose_query(name, bytea, text) is 'See rag.decompose_query.';
alter function rag_internal.decompose_query(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.decompose_query(name, bytea, text) from public;
grant execute on function rag_internal.decompose_query(name, bytea, text) to rag_reader;
