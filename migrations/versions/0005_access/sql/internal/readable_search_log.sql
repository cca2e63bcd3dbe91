-- The records of searches, for who sees everything.
create or replace function rag_internal.readable_search_log(who name, ticket bytea)
returns table (
    searched_at   timestamptz,
    role_name     name,
    identity      text,
    tenant        text,
    source        text,
    strategy      text,
    collections   text[],
    query         text,
    query_hash    bytea,
    document_ids  uuid[],
    chunk_indexes integer[],
    steps         jsonb
)
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    return query
        select l.searched_at, l.role_name, l.reader, l.tenant, l.source, l.strategy,
               l.collections, l.query, l.query_hash, l.document_ids, l.chunk_indexes, l.steps
        from rag_internal.search_log l
        where _identity.sees_everything;
end
$$;

comment on function rag_internal.readable_search_log(name, bytea) is 'Rows of rag.search_log.';
alter function rag_internal.readable_search_log(name, bytea) owner to rag_owner;
revoke all on function rag_internal.readable_search_log(name, bytea) from public;
grant execute on function rag_internal.readable_search_log(name, bytea) to rag_admin;
