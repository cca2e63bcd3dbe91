-- A search from the door to the log: who asks, what is found, what of it is shown, and a record of
-- it. This function writes; rag_internal.retrieve finds, in the one snapshot of a statement.
create or replace function rag_internal.search(
    who            name,
    ticket         bytea,
    token          text,
    query          text,
    collections    text[],
    top_k          integer,
    strategy       text,
    filter         jsonb,
    filter_path    jsonpath,
    vars           jsonb,
    weights        jsonb,
    rrf_k          integer,
    skip           integer,
    allow_degraded boolean,
    query_vector   @extschema:vector@.vector
) returns setof rag.hit
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _result rag_internal.retrieval := rag_internal.retrieve(
        rag_internal.authenticate(who, ticket, token), search.query, search.collections,
        search.top_k, search.strategy, search.filter, search.filter_path, search.vars,
        search.weights, search.rrf_k, search.skip, search.allow_degraded, search.query_vector);
    _identity rag_internal.identity := _result.identity;
begin
    if _identity.source = 'nobody' then
        raise warning 'nobody is asking, and finds nothing: %', _identity.why
            using hint = 'select * from rag.whoami() tells how you are seen.';
    end if;
    _result.hits := rag_internal.redact_hits(_identity, _result.hits, _result.collection_ids);
    perform rag_internal.log_search(_result, search.query, search.collections);
    return query select h.* from unnest(_result.hits) h;
end
$$;

comment on function rag_internal.search(name, bytea, text, text, text[], integer, text, jsonb,
    jsonpath, jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector) is
    'See rag.search.';
alter function rag_internal.search(name, bytea, text, text, text[], integer, text, jsonb, jsonpath,
    jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector) owner to rag_owner;
revoke all on function rag_internal.search(name, bytea, text, text, text[], integer, text, jsonb,
    jsonpath, jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector) from public;
grant execute on function rag_internal.search(name, bytea, text, text, text[], integer, text, jsonb,
    jsonpath, jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector) to rag_reader;
