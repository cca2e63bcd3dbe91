-- One question, answered in one snapshot: scope, legs, fusion, passages. Each step is told, for
-- rag.explain_search and the search log.
create or replace function rag_internal.retrieve(
    identity       rag_internal.identity,
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
) returns rag_internal.retrieval
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _result rag_internal.retrieval;
    _places bigint := retrieve.top_k::bigint + retrieve.skip;
    _scope rag_internal.scope;
    _defaults jsonb;
    _legs text[];
    _depth bigint;
    _weights jsonb;
    _rrf_k integer;
    _leg text;
    _hits rag_internal.leg_hit[] := '{}';
    _found rag_internal.leg_hit[];
    _steps rag.search_step[];
    _degraded text[] := '{}';
    _started timestamptz := clock_timestamp();
begin
    perform rag_internal.check_search(retrieve.query, retrieve.query_vector, retrieve.strategy,
                                      retrieve.top_k, retrieve.skip);
    perform rag_internal.check_filter(retrieve.filter, retrieve.filter_path, retrieve.vars);
    _scope := rag_internal.lexical_scope(identity, retrieve.collections);
    _scope.filter := retrieve.filter;
    _scope.filter_path := retrieve.filter_path;
    _scope.vars := coalesce(retrieve.vars, '{}');
    if retrieve.strategy in ('bm25', 'fuzzy') then
        -- asked for by name, a lexical leg needs neither defaults nor fusion
        _legs := array[retrieve.strategy];
        _depth := _places;
    else
        _defaults := rag_internal.search_defaults(_scope);
        _legs := rag_internal.legs_of(
            coalesce(retrieve.strategy, _defaults ->> 'strategy', 'hybrid'));
        _depth := rag_internal.leg_depth(_places);
        _rrf_k := coalesce(retrieve.rrf_k, (_defaults ->> 'rrf_k')::integer, 60);
        _weights := rag_internal.check_weights(coalesce(retrieve.weights, _defaults -> 'weights'),
                                               rag_internal.default_weights(), _rrf_k);
    end if;
    _result.strategy := case cardinality(_legs) when 1 then _legs[1] else 'hybrid' end;
    _result.identity := identity;
    _result.collection_ids := _scope.collection_ids;
    _result.steps := array[rag_internal.search_step('scope', null, null, null, _started)];

    foreach _leg in array _legs loop
        -- a single leg is asked for by name; in a hybrid, a weight of 0 switches a leg off
        continue when cardinality(_legs) > 1 and (_weights ->> _leg)::double precision = 0;
        _started := clock_timestamp();
        begin
            if _leg = 'semantic' then
                -- collections that nobody named may be of those who share what cannot be asked
                select l.hits, _degraded || l.notes, l.steps into _found, _degraded, _steps
                from rag_internal.semantic_legs(
                    retrieve.query, retrieve.query_vector, _scope, _depth,
                    retrieve.collections is null or coalesce(retrieve.allow_degraded, false)) l;
            else
                _found := rag_internal.run_leg(_leg, retrieve.query, _scope, _depth);
                _steps := array[rag_internal.search_step(
                    _leg, 'postings', 'exact, over the passages that the caller sees',
                    cardinality(_found), _started)];
            end if;
            if _steps = '{}' then
                _steps := array[rag_internal.search_step(
                    _leg, 'none', 'the caller sees nothing that has a vector', 0, _started)];
            end if;
            _hits := _hits || _found;
            _result.steps := _result.steps || _steps;
        exception when object_not_in_prerequisite_state then
            -- a model that is missing is a fault; collections without one were made so, and those
            -- whose vectors come with the calls
            if cardinality(_legs) = 1
               or not (coalesce(retrieve.allow_degraded, false)
                       or (_leg = 'semantic'
                           and not exists (select from rag_internal.collection k
                                           join rag_internal.model m using (model_id)
                                           where k.collection_id = any (coalesce(
                                                   _scope.collection_ids,
                                                   (select s.collection_ids
                                                    from rag_internal.sight(_scope) s)))
                                             and m.provider <> 'external'))) then
                raise;
            end if;
            _degraded := _degraded
                      || format('%s: %s', _leg, regexp_replace(sqlerrm, '^ragsql: ', ''));
            _result.steps := _result.steps || rag_internal.search_step(
                _leg, 'left out', regexp_replace(sqlerrm, '^ragsql: ', ''), 0, _started);
        end;
    end loop;

    _started := clock_timestamp();
    _result.hits := array(
        select h
        from rag_internal.hydrate(
            case when cardinality(_legs) = 1 then _hits
                 else array(
                     select f from rag_internal.fuse(_hits, _weights, _rrf_k, _places) f) end,
            _hits, _scope, nullif(_degraded, '{}'), _places, retrieve.skip) h
        order by h.rank);
    _result.steps := _result.steps || rag_internal.search_step(
        'passages', case when cardinality(_legs) = 1 then 'as ranked' else 'fused by rank' end,
        null, cardinality(_result.hits), _started);
    if cardinality(_result.hits) = 0 and cardinality(_degraded) > 0 then
        -- there is no hit that could tell
        raise warning '%', array_to_string(_degraded, '; ');
    end if;
    return _result;
end
$$;

comment on function rag_internal.retrieve(rag_internal.identity, text, text[], integer, text, jsonb,
    jsonpath, jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector) is
    'What rag.search finds, before redaction. Arguments as in rag.search.';
alter function rag_internal.retrieve(rag_internal.identity, text, text[], integer, text, jsonb,
    jsonpath, jsonb, jsonb, integer, integer, boolean,
    @extschema:vector@.vector) owner to rag_owner;
revoke all on function rag_internal.retrieve(rag_internal.identity, text, text[], integer, text,
    jsonb, jsonpath, jsonb, jsonb, integer, integer, boolean,
    @extschema:vector@.vector) from public;
