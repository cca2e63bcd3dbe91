-- Counts the passages that a search could return.
create or replace function rag_internal.count_matches(
    who     name,
    ticket  bytea,
    token   text,
    request rag_internal.search_request
) returns bigint
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket, token);
    _request rag_internal.search_request := request;
    _scope rag_internal.scope;
    _legs record;
begin
    perform rag_internal.check_search(_request);
    _scope := rag_internal.search_scope(_identity, _request);
    _request := rag_internal.completed_request(_request, _scope);
    _legs := rag_internal.run_legs(_request, _request.query, _scope, 9223372036854775807);
    return (
        select count(*)
        from (select distinct h.document_id, h.chunk_index from unnest(_legs.hits) h) s);
end
$$;

comment on function rag_internal.count_matches(name, bytea, text, rag_internal.search_request) is
    'See rag.count_matches.';
alter function rag_internal.count_matches(name, bytea, text, rag_internal.search_request) owner to
    rag_owner;
revoke all on function rag_internal.count_matches(name, bytea, text, rag_internal.search_request)
    from public;
grant execute on function rag_internal.count_matches(name, bytea, text, rag_internal.search_request)
    to rag_reader;
