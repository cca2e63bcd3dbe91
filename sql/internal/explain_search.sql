-- Runs a search and tells its steps.
create or replace function rag_internal.explain_search(
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
) returns setof rag.search_step
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _started timestamptz := clock_timestamp();
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket, token);
begin
    return next rag_internal.search_step(
        'identity', _identity.source,
        format('%s: %s', coalesce(_identity.reader, 'nobody'), _identity.why), null, _started);
    return query
        select s.*
        from unnest((rag_internal.retrieve(
            _identity, explain_search.query, explain_search.collections, explain_search.top_k,
            explain_search.strategy, explain_search.filter, explain_search.filter_path,
            explain_search.vars, explain_search.weights, explain_search.rrf_k,
            explain_search.skip, explain_search.allow_degraded,
            explain_search.query_vector)).steps) s;
    return next rag_internal.search_step('total', null, null, null, _started);
end
$$;

comment on function rag_internal.explain_search(name, bytea, text, text, text[], integer, text,
    jsonb, jsonpath, jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector) is
    'See rag.explain_search.';
alter function rag_internal.explain_search(name, bytea, text, text, text[], integer, text, jsonb,
    jsonpath, jsonb, jsonb, integer, integer, boolean,
    @extschema:vector@.vector) owner to rag_owner;
revoke all on function rag_internal.explain_search(name, bytea, text, text, text[], integer, text,
    jsonb, jsonpath, jsonb, jsonb, integer, integer, boolean,
    @extschema:vector@.vector) from public;
grant execute on function rag_internal.explain_search(name, bytea, text, text, text[], integer,
    text, jsonb, jsonpath, jsonb, jsonb, integer, integer, boolean,
    @extschema:vector@.vector) to rag_reader;
