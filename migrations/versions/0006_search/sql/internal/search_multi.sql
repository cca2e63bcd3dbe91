-- A question of several parts, from the door to the log.
create or replace function rag_internal.search_multi(
    who       name,
    ticket    bytea,
    token     text,
    request   rag_internal.search_request,
    max_hops  integer,
    threshold double precision
) returns setof rag.hit
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _result rag_internal.retrieval := rag_internal.answer(rag_internal.retrieve_multi(
        rag_internal.authenticate(who, ticket, token), request, search_multi.max_hops,
        search_multi.threshold));
begin
    return query select h.* from unnest(_result.hits) h;
end
$$;

comment on function rag_internal.search_multi(name, bytea, text, rag_internal.search_request,
    integer, double precision) is
    'See rag.search_multi.';
alter function rag_internal.search_multi(name, bytea, text, rag_internal.search_request, integer,
    double precision) owner to rag_owner;
revoke all on function rag_internal.search_multi(name, bytea, text, rag_internal.search_request,
    integer, double precision) from public;
grant execute on function rag_internal.search_multi(name, bytea, text, rag_internal.search_request,
    integer, double precision) to rag_reader;
