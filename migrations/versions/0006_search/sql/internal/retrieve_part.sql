-- Searches for one part of a question, and asks again where it is not sure of what it found.
create or replace function rag_internal.retrieve_part(
    identity    rag_internal.identity,
    request     rag_internal.search_request,
    why         text,
    max_hops    integer,
    threshold   double precision,
    may_change  boolean,
    out hits    rag.hit[],
    out weights double precision[],
    out steps   rag.search_step[],
    out status  text
)
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _request rag_internal.search_request := request;
    _found rag_internal.retrieval;
    _hop integer := 0;
    _why text := retrieve_part.why;
    _terms text[];
    _started timestamptz;
begin
    hits := '{}';
    weights := '{}';
    steps := '{}';
    loop
        _started := clock_timestamp();
        _found := rag_internal.retrieve(identity, _request);
        hits := hits || _found.hits;
        -- what came to mind adds to what was asked, and does not outweigh it
        weights := weights || array_fill(case _hop when 0 then 1 else 0.1 end::float8,
                                         array[cardinality(_found.hits)]);
        steps := steps || rag_internal.search_step(
            case when _hop = 0 then 'part' else 'follow-up' end, _found.strategy, _why,
            cardinality(_found.hits), _started) || _found.steps;
        if _hop = 0 or cardinality(_found.hits) > 0 then
            status := _found.status;
        end if;
        exit when _hop >= max_hops
            or length(_request.query) > 5000
            or rag_internal.best_score(_found.hits) >= coalesce(
                retrieve_part.threshold,
                case when (_found.request).rerank is null then 0.35 else 0.5 end);

        -- of what the caller gets to see
        _terms := rag_internal.follow_up_terms(
            _request.query,
            array(select h.content
                  from unnest(rag_internal.redact_hits(identity, _found.hits[:5],
                                                       _found.collection_ids)) h
                  order by h.rank),
            5);
        exit when _terms = '{}' and not (may_change and _request.strategy <> 'hybrid');
        _hop := _hop + 1;
        _request.query := array_to_string(_request.query || _terms, ' ');
        _request.strategy := case when may_change then 'hybrid' else _request.strategy end;
        _why := format('below the threshold: %s',
                       coalesce(nullif(array_to_string(_terms, ' '), ''), 'by all legs'));
    end loop;
end
$$;

comment on function rag_internal.retrieve_part(rag_internal.identity, rag_internal.search_request,
    text, integer, double precision, boolean) is
    'The hits of a request, and of at most max_hops that add the names in what was found as long '
    'as the best score is below the threshold (null: 0.5 of rerank_score, else 0.35); may_change: '
    'these by all legs. weights: of the list of each hit. Not redacted.';
alter function rag_internal.retrieve_part(rag_internal.identity, rag_internal.search_request, text,
    integer, double precision, boolean) owner to rag_owner;
revoke all on function rag_internal.retrieve_part(rag_internal.identity,
    rag_internal.search_request, text, integer, double precision, boolean) from public;
