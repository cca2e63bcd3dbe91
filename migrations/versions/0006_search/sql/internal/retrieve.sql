-- One question, answered in one snapshot: scope, legs, fusion, candidates, passages. Each step is
-- told, for rag.explain_search and the search log.
create or replace function rag_internal.retrieve(
    identity rag_internal.identity,
    request  rag_internal.search_request
) returns rag_internal.retrieval
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _result rag_internal.retrieval;
    _scope rag_internal.scope;
    _request rag_internal.search_request;
    _query text := (request).query;  -- what the legs look for
    _places bigint;
    _depth bigint;
    _legs record;
    _ranking rag_internal.leg_hit[];
    _fused rag_internal.leg_hit[];
    _reranked record;
    _degraded text[];
    _started timestamptz := clock_timestamp();
begin
    perform rag_internal.check_search(request);
    _scope := rag_internal.search_scope(identity, request);
    _request := rag_internal.completed_request(request, _scope);
    _places := _request.top_k::bigint + _request.skip;
    _result.identity := identity;
    _result.request := _request;
    _result.strategy := _request.strategy;
    _result.collection_ids := _scope.collection_ids;
    _result.steps := array[rag_internal.search_step('scope', null, null, null, _started)];

    if _request.correct_typos then
        _started := clock_timestamp();
        _query := rag_internal.corrected_query(_query, _scope, _request.max_distance);
        _result.steps := _result.steps || rag_internal.search_step(
            'correction', case when _query = (request).query then 'as typed' else 'corrected' end,
            null, null, _started);
    end if;

    -- What is left out of a ranking makes room for what the legs find further down.
    _depth := rag_internal.first_depth(_request, _places);
    loop
        _legs := rag_internal.run_legs(_request, _query, _scope, _depth);
        _started := clock_timestamp();
        _fused := rag_internal.fuse(_legs.hits, _request, _depth);
        _ranking := rag_internal.choose_candidates(_fused, _request);
        exit when cardinality(_ranking) >= _places or not _legs.is_cut;
        _depth := rag_internal.leg_depth(_depth + 1);
    end loop;
    _degraded := _legs.notes;
    _result.leg_hits := _legs.hits;
    _result.steps := _result.steps || _legs.steps || rag_internal.search_step(
        'fusion', case when _request.strategy = 'hybrid' then _request.fusion else 'as ranked' end,
        case when cardinality(_ranking) < cardinality(_fused)
             then format('%s left out as equal or of one document',
                         cardinality(_fused) - cardinality(_ranking)) end,
        cardinality(_ranking), _started);
    if _request.rerank is not null then
        _reranked := rag_internal.rerank_hits(_ranking, _query, _result.leg_hits, _request);
        _ranking := _reranked.ranked;
        _result.leg_hits := _result.leg_hits || _reranked.scores;
        _result.steps := _result.steps || _reranked.step;
        _degraded := _degraded || _reranked.notes;
        if not _reranked.is_open then
            _result.status := 'abstained';
        end if;
    end if;
    if _request.mmr_lambda is not null and cardinality(_ranking) > 0 then
        _started := clock_timestamp();
        _ranking := rag_internal.diversify(_ranking, _request.mmr_lambda, _places);
        _result.steps := _result.steps || rag_internal.search_step(
            'variety', format('lambda %s', _request.mmr_lambda), null, cardinality(_ranking),
            _started);
    end if;

    _started := clock_timestamp();
    _result.hits := array(
        select h
        from rag_internal.hydrate(_ranking, _result.leg_hits, _scope, _request, _query,
                                  nullif(_degraded, '{}')) h
        order by h.rank);
    _result.steps := _result.steps || rag_internal.search_step(
        'passages', null, null, cardinality(_result.hits), _started);
    if cardinality(_result.hits) = 0 and cardinality(_degraded) > 0 then
        -- there is no hit that could tell
        raise warning '%', array_to_string(_degraded, '; ');
    end if;
    _result.status := coalesce(
        _result.status,
        case when cardinality(_result.hits) > 0 then 'found'
             when (select s.passages from rag_internal.sight(_scope) s) = 0 then 'nothing visible'
             else 'no match' end);
    return _result;
end
$$;

comment on function rag_internal.retrieve(rag_internal.identity, rag_internal.search_request) is
    'What rag.search finds, before redaction. status: found, no match, abstained (the gate is '
    'closed), nothing visible.';
alter function rag_internal.retrieve(rag_internal.identity, rag_internal.search_request) owner to
    rag_owner;
revoke all on function rag_internal.retrieve(rag_internal.identity, rag_internal.search_request)
    from public;
