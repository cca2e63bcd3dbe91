-- The search that an evaluation runs, still without a query.
create or replace function rag_internal.evaluation_request(
    identity     rag_internal.identity,
    strategy     text,
    settings     jsonb,
    collections  text[],
    top_k        integer,
    has_excerpts boolean
) returns rag_internal.search_request
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _known constant text[] := array[
        'allow_degraded', 'as_of', 'candidates', 'collapse', 'correct_typos', 'filter',
        'filter_path', 'fusion', 'gate', 'include_archived', 'max_distance', 'max_per_document',
        'max_updated_at', 'min_relevance', 'min_score', 'min_updated_at', 'mmr_lambda', 'rerank',
        'rerank_candidates', 'rrf_k', 'vars', 'weights'];
    _unknown text;
    _request rag_internal.search_request;
    _whole rag_internal.search_request;
begin
    if jsonb_typeof(settings) is distinct from 'object' then
        raise exception using errcode = '22023', message = 'settings is not a JSON object';
    end if;
    select left(k, 100) into _unknown
    from jsonb_object_keys(settings) k
    where k <> all (_known)
    limit 1;
    if found then
        raise exception using
            errcode = '22023',
            message = format('settings has an unknown key: %s', _unknown),
            hint    = format('Known keys: %s.', array_to_string(_known, ', '));
    end if;
    perform rag_internal.check_search_options(jsonb_strip_nulls(settings));
    _request := jsonb_populate_record(_request, settings);
    _request.strategy := rag_internal.strategy_named(evaluation_request.strategy);
    _request.collections := evaluation_request.collections;
    _request.top_k := evaluation_request.top_k;
    _request.skip := 0;
    -- nothing of it is shown
    _request.highlight := false;
    _request.expand := 'chunk';
    -- an answer that was kept has no stages
    _request.cache := 'null';
    -- what was left out cannot be measured
    _request.rerank_optional := false;
    _whole := rag_internal.completed_request(_request,
                                             rag_internal.search_scope(identity, _request));
    if _whole.rerank is null and _whole.mmr_lambda is null and not has_excerpts then
        -- a document counts once, at its best passage: others are passed over
        _request.max_per_document := coalesce(_whole.max_per_document, 1);
    elsif _whole.rerank is not null then
        _request.rerank_candidates := coalesce(_whole.rerank_candidates, _request.top_k);
    end if;
    return _request;
end
$$;

comment on function rag_internal.evaluation_request(rag_internal.identity, text, jsonb, text[],
    integer, boolean) is
    'The arguments of rag.search that settings name; 22023 for others, and for values that mean '
    'nothing. A reranker reads top_k passages unless something says otherwise.';
alter function rag_internal.evaluation_request(rag_internal.identity, text, jsonb, text[], integer,
    boolean) owner to rag_owner;
revoke all on function rag_internal.evaluation_request(rag_internal.identity, text, jsonb, text[],
    integer, boolean) from public;
