-- The passages that answer a question, in order: legs, fusion, candidates, reranking, variety.
create or replace function rag_internal.find_passages(search rag_internal.retrieval)
returns rag_internal.retrieval
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _result rag_internal.retrieval := search;
    _request rag_internal.search_request := _result.request;
    _places bigint := _request.top_k::bigint + _request.skip;
    _reach record := rag_internal.search_reach(_request);
    _depth bigint := rag_internal.first_depth(_request, _reach.reach);
    _legs record;
    _fused rag_internal.leg_hit[];
    _ranking rag_internal.leg_hit[];
    _reranked record;
    _started timestamptz := clock_timestamp();
begin
    if _request.correct_typos and not rag_internal.is_blank(_request.query) then
        _result.query := rag_internal.corrected_query(_request.query, _result.scope,
                                                      _request.max_distance);
        _result.steps := _result.steps || rag_internal.search_step(
            'correction',
            case when _result.query = _request.query then 'as typed' else 'corrected' end,
            null, null, _started);
    end if;

    -- what is left out of a ranking makes room for what the legs find further down
    loop
        _legs := rag_internal.run_legs(_request, _result.query, _result.scope, _depth);
        _started := clock_timestamp();
        _fused := rag_internal.fuse(_legs.hits, _request, _depth);
        _ranking := rag_internal.choose_candidates(_fused, _request);
        exit when cardinality(_ranking) >= _reach.reach or not _legs.is_cut;
        _depth := rag_internal.leg_depth(_depth + 1);
    end loop;
    _result.degraded := _legs.notes;
    _result.leg_hits := _legs.hits;
    _result.depth := _depth;
    _result.steps := _result.steps || _legs.steps || rag_internal.search_step(
        'fusion', case when _request.strategy = 'hybrid' then _request.fusion else 'as ranked' end,
        case when cardinality(_ranking) < cardinality(_fused)
             then format('%s left out as equal or of one document',
                         cardinality(_fused) - cardinality(_ranking)) end,
        cardinality(_ranking), _started);

    if _request.rerank is not null then
        _reranked := rag_internal.rerank_hits(_ranking, _result.query, _result.leg_hits, _request,
                                               _reach.block);
        _ranking := _reranked.ranked;
        _result.leg_hits := _result.leg_hits || _reranked.scores;
        _result.steps := _result.steps || _reranked.step;
        _result.degraded := _result.degraded || _reranked.notes;
        if not _reranked.is_open then
            _result.status := 'abstained';
        end if;
    end if;
    if _request.mmr_lambda is not null and cardinality(_ranking) > 0 then
        _started := clock_timestamp();
        _ranking := rag_internal.diversify(_ranking, _request.mmr_lambda, _reach.block,
                                            _reach.reach);
        _result.steps := _result.steps || rag_internal.search_step(
            'variety', format('lambda %s', _request.mmr_lambda), null, cardinality(_ranking),
            _started);
    end if;
    _result.ranking := _ranking[least(_request.skip::bigint + 1, 2147483647)
                                : least(_places, 2147483647)];
    return _result;
end
$$;

comment on function rag_internal.find_passages(rag_internal.retrieval) is
    'The search with the page of its ranking, the hits of its legs, its steps, and what had to be '
    'done without; status abstained where the gate is closed.';
alter function rag_internal.find_passages(rag_internal.retrieval) owner to rag_owner;
revoke all on function rag_internal.find_passages(rag_internal.retrieval) from public;
