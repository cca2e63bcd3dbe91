-- Takes a question apart, searches for each part, and merges what is found.
create or replace function rag_internal.retrieve_multi(
    identity  rag_internal.identity,
    request   rag_internal.search_request,
    max_hops  integer,
    threshold double precision
) returns rag_internal.retrieval
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _result rag_internal.retrieval;
    _scope rag_internal.scope;
    _whole rag_internal.search_request;
    _request rag_internal.search_request;
    _strategy text;
    _part rag.query_part;
    _found record;
    _hits rag.hit[] := '{}';
    _weights double precision[] := '{}';
    _statuses text[] := '{}';
    _has_dates boolean := false;
    _started timestamptz;
begin
    perform rag_internal.check_search(request);
    if max_hops is null or max_hops not between 0 and 10 then
        raise exception using
            errcode = '22023',
            message = format('max_hops is %s, but must be from 0 to 10',
                             coalesce(max_hops::text, 'null'));
    elsif threshold = 'NaN' then
        raise exception using errcode = '22023', message = 'threshold is no number';
    end if;
    _scope := rag_internal.search_scope(identity, request);
    _whole := rag_internal.completed_request(request, _scope);
    -- what a collection says counts for parts that go to one leg, too
    _whole.rerank := coalesce(_whole.rerank, 'none');
    -- the answer to a question that is near says nothing about what else comes to mind
    _whole.cache := 'null';
    _strategy := coalesce((request).strategy,
                          rag_internal.search_defaults(_scope) ->> 'strategy');
    _result.identity := identity;
    _result.request := request;
    _result.strategy := 'multi';
    _result.collection_ids := _scope.collection_ids;
    _result.leg_hits := '{}';
    _result.is_redacted := rag_internal.redacted_collections(identity) <> '{}';
    _result.steps := '{}';

    for _part in select p.* from rag_internal.parts_of((request).query) p order by p.part loop
        _request := _whole;
        _request.query := _part.query;
        _request.strategy := coalesce(_strategy, _part.strategy);
        if _whole.rerank = 'none' then
            -- the first page does not depend on its size; to rerank more would be dear
            _request.top_k := greatest((request).top_k, 50);
        end if;
        _request.min_updated_at := greatest((request).min_updated_at, _part.min_updated_at);
        _has_dates := _has_dates
                   or num_nonnulls(_part.min_updated_at, _part.max_updated_at) > 0;
        _request.max_updated_at := least((request).max_updated_at, _part.max_updated_at);
        if _request.min_updated_at > _request.max_updated_at then
            _started := clock_timestamp();
            _result.steps := _result.steps || rag_internal.search_step(
                'part', 'left out', 'nothing lies between its dates and those given', 0, _started);
            continue;
        end if;
        _found := rag_internal.retrieve_part(
            identity, _request, format('%s: %s', _part.part, _part.reason), max_hops, threshold,
            _strategy is null);
        _hits := _hits || _found.hits;
        _weights := _weights || _found.weights;
        _statuses := _statuses || _found.status;
        _result.steps := _result.steps || _found.steps;
    end loop;

    _started := clock_timestamp();
    _result.hits := rag_internal.merge_hits(_hits, _weights, _whole);
    _result.steps := _result.steps || rag_internal.search_step(
        'merge', 'rrf', null, cardinality(_result.hits), _started);
    if cardinality(_result.hits) = 0 and _has_dates then
        raise warning 'nothing was updated within the dates that the question names'
            using hint = 'select * from rag.decompose_query(...) tells how it is understood.';
    end if;
    _result.status := case
        when cardinality(_result.hits) > 0 then 'found'
        when 'abstained' = any (_statuses) then 'abstained'
        when 'nothing visible' = any (_statuses) then 'nothing visible'
        else 'no match' end;
    return _result;
end
$$;

comment on function rag_internal.retrieve_multi(rag_internal.identity, rag_internal.search_request,
    integer, double precision) is
    'What rag.search_multi finds, before redaction; its steps are those of all searches. Dates in '
    'the query narrow those of the request.';
alter function rag_internal.retrieve_multi(rag_internal.identity, rag_internal.search_request,
    integer, double precision) owner to rag_owner;
revoke all on function rag_internal.retrieve_multi(rag_internal.identity,
    rag_internal.search_request, integer, double precision) from public;
