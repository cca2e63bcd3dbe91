-- Looks for differences between the lexical index and the passages of a collection.
create or replace function rag_internal.verify_index(who name, ticket bytea, collection text)
returns setof rag.index_difference
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
begin
    return query
        select d.*
        from rag_internal.index_differences(rag_internal.own_collection(
                 rag_internal.authenticate(who, ticket), verify_index.collection, null)) d;
end
$$;

comment on function rag_internal.verify_index(name, bytea, text) is
    'See rag.verify_index.';
alter function rag_internal.verify_index(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.verify_index(name, bytea, text) from public;
grant execute on function rag_internal.verify_index(name, bytea, text) to rag_writer;
