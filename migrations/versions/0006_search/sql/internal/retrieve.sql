-- One question, answered in one snapshot: scope, the passages that answer it, and their texts. Each
-- step is told, for rag.explain_search and the search log.
create or replace function rag_internal.retrieve(
    identity rag_internal.identity,
    request  rag_internal.search_request
) returns rag_internal.retrieval
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _result rag_internal.retrieval;
    _kept record;
    _started timestamptz := clock_timestamp();
begin
    perform rag_internal.check_search(request);
    _result.identity := identity;
    _result.scope := rag_internal.search_scope(identity, request);
    _result.collection_ids := (_result.scope).collection_ids;
    _result.request := rag_internal.completed_request(request, _result.scope);
    _result.strategy := (_result.request).strategy;
    _result.query := (request).query;
    _result.is_redacted := rag_internal.redacted_collections(identity) <> '{}';
    _result.steps := array[rag_internal.search_step('scope', null, null, null, _started)];

    -- kept answers would make transactions conflict that are serializable
    if (_result.request).cache is not null and not rag_internal.is_blank((request).query)
       and current_setting('transaction_isolation') <> 'serializable' then
        _started := clock_timestamp();
        _result.answer_key := rag_internal.answer_key(_result.request, _result.scope);
        _kept := rag_internal.cached_answer(_result.answer_key, _result.request, _result.scope);
        _result.steps := _result.steps || rag_internal.search_step(
            'cache', _kept.route, null, null, _started);
        if _kept.route <> 'miss' then
            _result.ranking := (_kept.answer).ranking;
            _result.leg_hits := (_kept.answer).leg_hits;
            _result.status := (_kept.answer).status;
            _result := rag_internal.read_passages(_result);
            -- what has gone, or is hidden now, or is no longer valid is missed
            if cardinality(_result.hits) = cardinality(_result.ranking) then
                _result.answer_key := null;
                return _result;
            end if;
            _result.status := null;
        end if;
    end if;

    _result := rag_internal.read_passages(rag_internal.find_passages(_result));
    if cardinality(_result.hits) = 0 and cardinality(_result.degraded) > 0 then
        -- there is no hit that could tell
        raise warning '%', array_to_string(_result.degraded, '; ');
    end if;
    _result.status := coalesce(
        _result.status,
        case when cardinality(_result.hits) > 0 then 'found'
             when (select s.passages from rag_internal.sight(_result.scope) s) = 0
             then 'nothing visible'
             when (request).skip > 0 and cardinality(_result.leg_hits) > 0 then 'past the end'
             else 'no match' end);
    return _result;
end
$$;

comment on function rag_internal.retrieve(rag_internal.identity, rag_internal.search_request) is
    'What rag.search finds, before redaction. status: found, no match, abstained (the gate is '
    'closed), past the end, nothing visible. answer_key: where the answer may be kept.';
alter function rag_internal.retrieve(rag_internal.identity, rag_internal.search_request) owner to
    rag_owner;
revoke all on function rag_internal.retrieve(rag_internal.identity, rag_internal.search_request)
    from public;
