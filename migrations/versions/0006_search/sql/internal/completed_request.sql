-- A request with everything that it leaves out: what the collections say, else the built-in.
create or replace function rag_internal.completed_request(
    request rag_internal.search_request,
    scope   rag_internal.scope
) returns rag_internal.search_request
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _request rag_internal.search_request := request;
    _defaults jsonb := '{}';
begin
    if _request.strategy is null
       or rag_internal.strategy_named(_request.strategy) not in ('bm25', 'fuzzy') then
        -- asked for by name, a lexical leg needs no defaults, and is spared looking for them
        _defaults := rag_internal.search_defaults(scope);
    end if;
    _request.strategy := rag_internal.strategy_named(
        coalesce(_request.strategy, _defaults ->> 'strategy', 'hybrid'));
    _request.fusion := coalesce(_request.fusion, _defaults ->> 'fusion', 'rrf');
    _request.rrf_k := coalesce(_request.rrf_k, (_defaults ->> 'rrf_k')::integer, 60);
    if _request.strategy = 'hybrid' or request.weights is not null or request.rrf_k is not null then
        _request.weights := rag_internal.hybrid_weights(
            coalesce(_request.weights, _defaults -> 'weights'), _request.fusion, _request.rrf_k);
    end if;
    _request.candidates := coalesce(_request.candidates, (_defaults ->> 'candidates')::integer);
    _request.min_score := coalesce(_request.min_score, (_defaults ->> 'min_score')::float8);
    _request.correct_typos := coalesce(_request.correct_typos,
                                       (_defaults ->> 'correct_typos')::boolean, false);
    _request.max_distance := coalesce(_request.max_distance,
                                      (_defaults ->> 'max_distance')::integer, 2);
    _request.rerank := nullif(coalesce(_request.rerank, _defaults ->> 'rerank'), 'none');
    _request.rerank_candidates := coalesce(_request.rerank_candidates,
                                           (_defaults ->> 'rerank_candidates')::integer);
    _request.rerank_optional := coalesce(_request.rerank_optional,
                                         (_defaults ->> 'rerank_optional')::boolean, false);
    if _request.rerank is not null then
        _request.min_relevance := coalesce(_request.min_relevance,
                                           (_defaults ->> 'min_relevance')::float8);
        _request.gate := coalesce(_request.gate, (_defaults ->> 'gate')::float8);
    end if;
    _request.mmr_lambda := coalesce(_request.mmr_lambda, (_defaults ->> 'mmr_lambda')::float8);
    _request.collapse := coalesce(_request.collapse, (_defaults ->> 'collapse')::boolean,
                                  _request.mmr_lambda is not null);
    _request.max_per_document := coalesce(_request.max_per_document,
                                          (_defaults ->> 'max_per_document')::integer);
    _request.expand := coalesce(_request.expand, _defaults ->> 'expand', 'chunk');
    _request.highlight := coalesce(_request.highlight, (_defaults ->> 'highlight')::boolean, false);
    _request.bm25_lead := (_defaults ->> 'bm25_lead')::float8;
    _request.cache := nullif(coalesce(_request.cache, _defaults -> 'cache'), 'null');
    _request.close_similarity := (_defaults ->> 'close_similarity')::float8;
    if cardinality(rag_internal.legs_of(_request)) = 0 then
        raise exception using
            errcode = '22023',
            message = 'the only leg with a weight is that of hyde_vector, which is null';
    elsif _request.rerank is null
          and coalesce(_request.min_relevance, _request.gate) is not null then
        raise exception using
            errcode = '22023',
            message = 'min_relevance and gate judge by rerank_score, and nothing is reranked',
            hint    = 'Name a reranker: rerank => ''default'' takes the one that is the default.';
    end if;
    return _request;
end
$$;

comment on function rag_internal.completed_request(rag_internal.search_request,
    rag_internal.scope) is
    'The request as it is carried out; 22023 for an unknown strategy, for weights that mean '
    'nothing, and for thresholds on a rerank_score that there is not.';
alter function rag_internal.completed_request(rag_internal.search_request, rag_internal.scope) owner
    to rag_owner;
revoke all on function rag_internal.completed_request(rag_internal.search_request,
    rag_internal.scope) from public;
