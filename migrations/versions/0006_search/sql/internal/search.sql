-- A search from the door to the log: who asks, what is found, what of it is shown, and a record of
-- it. This function writes; rag_internal.retrieve finds, in the one snapshot of a statement.
create or replace function rag_internal.search(
    who     name,
    ticket  bytea,
    token   text,
    request rag_internal.search_request
) returns setof rag.hit
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _result rag_internal.retrieval := rag_internal.answer(
        rag_internal.retrieve(rag_internal.authenticate(who, ticket, token), request));
begin
    return query select h.* from unnest(_result.hits) h;
end
$$;

comment on function rag_internal.search(name, bytea, text, rag_internal.search_request) is
    'See rag.search.';
alter function rag_internal.search(name, bytea, text, rag_internal.search_request) owner to
    rag_owner;
revoke all on function rag_internal.search(name, bytea, text, rag_internal.search_request) from
    public;
grant execute on function rag_internal.search(name, bytea, text, rag_internal.search_request) to
    rag_reader;
