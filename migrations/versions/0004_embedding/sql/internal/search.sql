-- One question, answered in one snapshot: identity, scope, legs, fusion, passages.
create or replace function rag_internal.search(
    who            name,
    ticket         bytea,
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
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _places bigint := search.top_k::bigint + search.skip;
    _scope rag_internal.scope;
    _defaults jsonb;
    _legs text[];
    _weights jsonb;
    _rrf_k integer;
    _leg text;
    _hits rag_internal.leg_hit[] := '{}';
    _found rag_internal.leg_hit[];
    _degraded text[] := '{}';
begin
    -- a vector can stand for the words where only meaning is asked for
    if search.query_vector is null or search.strategy is distinct from 'semantic'
       or not rag_internal.is_blank(search.query) then
        perform rag_internal.check_query(search.query);
    end if;
    perform rag_internal.check_filter(search.filter, search.filter_path, search.vars);
    if coalesce(search.top_k, 0) < 1 then
        raise exception using
            errcode = '22023',
            message = format('top_k is %s, but must be 1 or more',
                             coalesce(search.top_k::text, 'null')),
            hint    = 'It has no upper limit.';
    elsif coalesce(search.skip, -1) < 0 then
        raise exception using
            errcode = '22023',
            message = format('skip is %s, but must be 0 or more',
                             coalesce(search.skip::text, 'null')),
            hint    = 'The second page of 10 is top_k => 10, skip => 10.';
    end if;
    _scope := rag_internal.lexical_scope(_identity, search.collections);
    _scope.filter := search.filter;
    _scope.filter_path := search.filter_path;
    _scope.vars := coalesce(search.vars, '{}');
    if search.strategy in ('bm25', 'fuzzy') then
        -- asked for by name, a lexical leg needs neither defaults nor fusion
        _hits := rag_internal.run_leg(search.strategy, search.query, _scope, _places);
        return query
            select h.* from rag_internal.hydrate(_hits, _hits, _scope, null, _places, skip) h;
        return;
    end if;

    _scope.acl_ids := array(select rag_internal.visible_acls(_identity));
    _scope.collection_ids := array(
        select k.collection_id
        from rag_internal.visible_collections(_identity, search.collections) k);
    _defaults := rag_internal.search_defaults(_scope);
    _legs := rag_internal.legs_of(coalesce(search.strategy, _defaults ->> 'strategy', 'hybrid'));
    _rrf_k := coalesce(search.rrf_k, (_defaults ->> 'rrf_k')::integer, 60);
    _weights := rag_internal.check_weights(coalesce(search.weights, _defaults -> 'weights'),
                                           rag_internal.default_weights(), _rrf_k);

    foreach _leg in array _legs loop
        -- a single leg is asked for by name; in a hybrid, a weight of 0 switches a leg off
        continue when cardinality(_legs) > 1 and (_weights ->> _leg)::double precision = 0;
        begin
            if _leg = 'semantic' then
                -- collections that nobody named may be of those who share what cannot be asked
                select l.hits, _degraded || l.notes into _found, _degraded
                from rag_internal.semantic_legs(
                    search.query, search.query_vector, _scope, rag_internal.leg_depth(_places),
                    search.collections is null or coalesce(search.allow_degraded, false)) l;
            else
                _found := rag_internal.run_leg(_leg, search.query, _scope,
                                               rag_internal.leg_depth(_places));
            end if;
            _hits := _hits || _found;
        exception when object_not_in_prerequisite_state then
            -- a model that is missing is a fault; collections without one were made so, and those
            -- whose vectors come with the calls
            if cardinality(_legs) = 1
               or not (coalesce(search.allow_degraded, false)
                       or (_leg = 'semantic'
                           and not exists (select from rag_internal.collection k
                                           join rag_internal.model m using (model_id)
                                           where k.collection_id = any (_scope.collection_ids)
                                             and m.provider <> 'external'))) then
                raise;
            end if;
            _degraded := _degraded
                      || format('%s: %s', _leg, regexp_replace(sqlerrm, '^ragsql: ', ''));
        end;
    end loop;

    return query
        select h.*
        from rag_internal.hydrate(
            case when cardinality(_legs) = 1 then _hits
                 else array(
                     select f from rag_internal.fuse(_hits, _weights, _rrf_k, _places) f) end,
            _hits, _scope, nullif(_degraded, '{}'), _places, search.skip) h;
    if not found and cardinality(_degraded) > 0 then
        -- there is no hit that could tell
        raise warning '%', array_to_string(_degraded, '; ');
    end if;
end
$$;

comment on function rag_internal.search(name, bytea, text, text[], integer, text, jsonb, jsonpath,
    jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector) is
    'See rag.search.';
alter function rag_internal.search(name, bytea, text, text[], integer, text, jsonb, jsonpath, jsonb,
    jsonb, integer, integer, boolean, @extschema:vector@.vector) owner to rag_owner;
revoke all on function rag_internal.search(name, bytea, text, text[], integer, text, jsonb,
    jsonpath, jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector) from public;
grant execute on function rag_internal.search(name, bytea, text, text[], integer, text, jsonb,
    jsonpath, jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector) to rag_reader;
