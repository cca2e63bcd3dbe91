-- Nearest passages by vector. Few candidates are scanned exactly; many go through the HNSW
-- index, which asks the mask row by row, and an exact scan takes over where that leaves
-- the cut unfilled.
create or replace function rag_internal.semantic_leg(
    query_vector @extschema:vector@.vector,
    model        rag_internal.model,
    scope        rag_internal.scope,
    conditions   rag_internal.text_condition[],
    cut          bigint,
    route        text default 'auto',
    out hits     rag_internal.leg_hit[],
    out step     rag.search_step
)
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set jit = off
set enable_seqscan = on
set enable_bitmapscan = on
set enable_sort = on
set enable_indexscan = on
set hnsw.ef_search = 100
set hnsw.iterative_scan = strict_order
as $$
declare
    _exact_up_to constant bigint := 10000;
    _started timestamptz := clock_timestamp();
    _form record := rag_internal.vector_form(model);
    _reach bigint := case when (model).quantization = 'binary' then greatest(4 * cut, 200)
                          when _form.indexed <> _form.ranked then cut + 100
                          else cut end;
    _filters text := concat(
        case when (scope).filter is not null then ' and c.attributes @> $4' end,
        case when (scope).filter_path is not null
             -- in this order: a path can fail, or take long, on a row that is hidden
             then ' and case when c.acl_id = any ($2) and c.collection_id = any ($3) then '
                  'coalesce(jsonb_path_match(c.attributes, $5, $6, true), false) end' end,
        case when cardinality(conditions) > 0
             then ' and coalesce((select c.tsv @@ t.condition from unnest($7) t '
                  'where t.text_config = c.text_config), true)' end);
    _is_narrow boolean := _filters <> '' or coalesce(
        (scope).min_updated_at, (scope).max_updated_at) is not null;
    -- a condition wants a plan of its own; else what is seen stands in one that is kept
    _is_kept boolean := (scope).acl_ids is null and not _is_narrow and (scope).as_of is null
                        and route <> 'index';
    _mask text := case
        when _is_kept then 'e.acl_id = any ({acls}) and {collection} = any ({collections})'
        else 'e.acl_id = any ($2) and e.collection_id = any ($3)' end;
    _statements record := rag_internal.semantic_statements(
        model, cut, _reach, case when route = 'index' then 0 else _reach end,
        -- row by row: without an estimate, which takes long for many classes; and for one who sees
        -- everything the collection is enough to ask
        case when not _is_kept then _mask
             when ((scope).identity).sees_everything then '{collection} = any ({collections})'
             else 'coalesce(e.acl_id = any ({acls}) and {collection} = any ({collections}), false)'
        end,
        _mask, _filters,
        rag_internal.live_passages(
            scope,
            case when not _is_kept then '$2'
                 when not ((scope).identity).sees_everything then '{acls}' end,
            true));
    _statement text := _statements.exact;
begin
    if (scope).acl_ids is null then
        select s.passages, coalesce((scope).collection_ids, s.collection_ids)
        into step.passages, scope.collection_ids
        from rag_internal.sight(scope) s;
        if not _is_kept then
            scope.acl_ids := rag_internal.seen_acls(scope);
        end if;
    end if;
    if (_is_narrow or step.passages is null) and route = 'auto' and _statements.indexed is not null
       and coalesce(step.passages > _exact_up_to, true) then
        execute format('select count(*) from (select from rag_internal.embedding_%s e where %s%s '
                       'limit %s) s',
                       (model).model_id, _mask,
                       case when _is_narrow
                            then format(' and exists (select from %s c '
                                        'where c.chunk_id = e.chunk_id%s)',
                                        rag_internal.live_passages(scope, null, false),
                                        _filters) end,
                       _exact_up_to + 1)
        into step.passages
        using query_vector, (scope).acl_ids, (scope).collection_ids, (scope).filter,
              (scope).filter_path, (scope).vars, conditions;
    end if;

    step.step := 'semantic';
    step.route := 'exact';
    step.why := case when _statements.indexed is null then 'its vectors have no index'
                     when route <> 'auto' then 'asked for'
                     when _reach > _exact_up_to then 'so many hits are asked for'
                     when step.passages > _exact_up_to then 'more than 10,000 candidates'
                     else format('%s candidates, at most 10,000 are scanned exactly',
                                 to_char(step.passages, 'FM999,990')) end;
    if _statements.indexed is not null
       and (route = 'index'
            or route = 'auto' and _reach <= _exact_up_to and step.passages > _exact_up_to) then
        step.route := 'hnsw';
        _statement := _statements.indexed;
        -- as many as are wanted is too few to find nearly all of the ten nearest
        perform set_config('hnsw.ef_search',
                           least(greatest(_reach, 2 * cut, (model).hnsw_ef_search), 1000)::text,
                           true);
        if route = 'index' then
            perform set_config(s.name, 'off', true)
            from unnest('{enable_seqscan, enable_bitmapscan, enable_sort}'::text[]) s (name);
        end if;
    end if;
    loop
        if _is_kept then
            hits := array(
                select h from rag_internal.seen_leg_hits(_statement, scope, query_vector) h);
        else
            execute format('select array(select row(h.*)::rag_internal.leg_hit from (%s) h)',
                           _statement)
            into hits
            using query_vector, (scope).acl_ids, (scope).collection_ids, (scope).filter,
                  (scope).filter_path, (scope).vars, conditions;
        end if;
        exit when step.route <> 'hnsw' or route = 'index' or cardinality(hits) > 0;
        step.route := 'hnsw, topped up exactly';
        _statement := _statements.exact;
    end loop;
    step.milliseconds := extract(epoch from clock_timestamp() - _started) * 1000;
end
$$;

comment on function rag_internal.semantic_leg(@extschema:vector@.vector, rag_internal.model,
    rag_internal.scope, rag_internal.text_condition[], bigint, text) is
    'At most cut passages by vector distance, their score rag.similarity. route auto: exact up to '
    '10,000 candidates and where there is no index, approximate (HNSW) above, and always min(cut, '
    'candidates) rows; exact; or index, which gives what the index alone finds.';
alter function rag_internal.semantic_leg(@extschema:vector@.vector, rag_internal.model,
    rag_internal.scope, rag_internal.text_condition[], bigint, text) owner to rag_owner;
revoke all on function rag_internal.semantic_leg(@extschema:vector@.vector, rag_internal.model,
    rag_internal.scope, rag_internal.text_condition[], bigint, text) from public;
