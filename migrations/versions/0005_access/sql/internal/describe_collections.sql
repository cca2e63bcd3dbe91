-- Collections as the caller may know them, with what the caller can see of them.
create or replace function rag_internal.describe_collections(who name, ticket bytea, names text[])
returns setof rag.collection_info
language sql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
    select i.* from rag_internal.collection_info(rag_internal.authenticate(who, ticket), names) i
$$;

comment on function rag_internal.describe_collections(name, bytea, text[]) is
    'See rag.list_collections and rag.describe_collection.';
alter function rag_internal.describe_collections(name, bytea, text[]) owner to rag_owner;
revoke all on function rag_internal.describe_collections(name, bytea, text[]) from public;
grant execute on function rag_internal.describe_collections(name, bytea, text[]) to rag_reader;
