-- Runs a search and tells its steps, and why each hit is one.
create or replace function rag_internal.explain_search(
    who     name,
    ticket  bytea,
    token   text,
    request rag_internal.search_request
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
    _result rag_internal.retrieval;
begin
    return next rag_internal.search_step(
        'identity', _identity.source,
        format('%s: %s', coalesce(_identity.reader, 'nobody'), _identity.why), null, _started);
    _result := rag_internal.retrieve(_identity, request);
    if _result.is_redacted then
        _result.hits := rag_internal.redact_hits(_identity, _result.hits, _result.collection_ids);
    end if;
    return query select s.* from rag_internal.explain_scope(_result.scope) s;
    return query select s.* from unnest(_result.steps) s;
    return query select h.* from rag_internal.explain_hits(_result) h;
    return next rag_internal.search_step(
        'result', _result.status, null, cardinality(_result.hits), _started);
end
$$;

comment on function rag_internal.explain_search(name, bytea, text, rag_internal.search_request) is
    'See rag.explain_search.';
alter function rag_internal.explain_search(name, bytea, text, rag_internal.search_request) owner to
    rag_owner;
revoke all on function rag_internal.explain_search(name, bytea, text, rag_internal.search_request)
    from public;
grant execute on function rag_internal.explain_search(name, bytea, text,
    rag_internal.search_request) to rag_reader;
