-- Nearest passages by vector. Few candidates are scanned exactly; many go through the HNSW
-- index, which asks the mask row by row, and an exact scan takes over where that leaves
-- the cut unfilled. The index serves only a bare "order by distance" on the expression that it was
-- made on: ranks are made outside. Where that expression is coarser than the stored vectors, it
-- finds more than the cut, and the vectors decide.
create or replace function rag_internal.semantic_leg(
    query_vector @extschema:vector@.vector,
    model        rag_internal.model,
    scope        rag_internal.scope,
    conditions   rag_internal.text_condition[],
    cut          bigint,
    route        text default 'auto'
) returns setof rag_internal.leg_hit
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
    _form record := rag_internal.vector_form(model);
    _reach bigint := case when (model).quantization = 'binary' then greatest(4 * cut, 200)
                          when _form.indexed <> _form.ranked then cut + 100
                          else cut end;
    _distance text := format('%s %s %s', format(_form.ranked, 'e.' || _form.stored_in),
                             _form.ranked_by, format(_form.ranked, '$1'));
    _in_scope text := format(
        'from rag_internal.embedding_%s e where e.acl_id = any ($2) and e.collection_id = any ($3)',
        (model).model_id);
    _filters text := concat(
        case when (scope).filter is not null then ' and c.attributes @> $4' end,
        case when (scope).filter_path is not null
             -- in this order: a path can fail, or take long, on a row that is hidden
             then ' and case when c.acl_id = any ($2) and c.collection_id = any ($3) then '
                  'coalesce(jsonb_path_match(c.attributes, $5, $6, true), false) end' end,
        case when cardinality(conditions) > 0
             then ' and coalesce((select c.tsv @@ t.condition from unnest($7) t '
                  'where t.text_config = c.text_config), true)' end);
    _candidates text := format(
        '%s and exists (select from rag_internal.live_chunk c where c.chunk_id = e.chunk_id%s)',
        _in_scope, _filters);
    _ranked text := format(
        'select ''semantic'', '
        '(row_number() over (order by n.distance, c.document_id, c.chunk_index))::integer, '
        'rag.similarity(n.distance, %L), c.document_id, c.chunk_index, null::text '
        'from %%s n join rag_internal.chunk c using (chunk_id) '
        'order by 2 limit %s', (model).metric, cut);
    _count bigint;
begin
    if route = 'auto' and _form.indexed is not null and _reach <= _exact_up_to then
        execute format('select count(*) from (select %s limit %s) s',
                       case when _filters = '' then _in_scope else _candidates end,
                       _exact_up_to + 1)
        into _count
        using query_vector, (scope).acl_ids, (scope).collection_ids, (scope).filter,
              (scope).filter_path, (scope).vars, conditions;
    end if;
    if _count > _exact_up_to or (route = 'index' and _form.indexed is not null) then
        perform set_config('hnsw.ef_search',
                           least(greatest(_reach, (model).hnsw_ef_search), 1000)::text, true);
        if route = 'index' then
            perform set_config(s.name, 'off', true)
            from unnest('{enable_seqscan, enable_bitmapscan, enable_sort}'::text[]) s (name);
        end if;
        return query execute format(
            'with nearest as materialized '
            '(select e.chunk_id, %1$s as distance '
            'from (select e.chunk_id, e.%2$s %3$s order by %4$s %5$s %6$s limit %7$s) e), '
            'enough as materialized (select from nearest having count(*) >= %8$s) %9$s',
            _distance, _form.stored_in, _candidates,
            format(_form.indexed, 'e.' || _form.stored_in), _form.indexed_by,
            format(_form.indexed, '$1'), _reach, case when route = 'index' then 0 else _reach end,
            format(_ranked, '(select * from nearest where exists (select from enough))'))
        using query_vector, (scope).acl_ids, (scope).collection_ids, (scope).filter,
              (scope).filter_path, (scope).vars, conditions;
        if found or route = 'index' then
            return;
        end if;
    end if;
    return query execute format(
        _ranked, format('(select e.chunk_id, %s as distance %s)', _distance, _candidates))
    using query_vector, (scope).acl_ids, (scope).collection_ids, (scope).filter,
          (scope).filter_path, (scope).vars, conditions;
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
