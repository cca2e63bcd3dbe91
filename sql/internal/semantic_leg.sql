-- Nearest passages by vector. Few candidates are scanned exactly; many go through the HNSW
-- index, which asks the mask row by row, and an exact scan takes over where that leaves
-- the cut unfilled. The index serves only a bare "order by distance" on the literal
-- dimension: ranks are made outside.
create or replace function rag_internal.semantic_leg(
    query_vector @extschema:vector@.vector,
    model        rag_internal.model,
    scope        rag_internal.scope,
    conditions   rag_internal.text_condition[],
    cut          bigint
) returns setof rag_internal.leg_hit
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set jit = off
set hnsw.ef_search = 100
set hnsw.iterative_scan = strict_order
as $$
declare
    _exact_up_to constant bigint := 10000;
    _similarity text := case (model).metric when 'cosine' then '1 - n.distance'
                                            when 'l2' then '1 / (1 + n.distance)'
                                            else '-n.distance' end;
    _distance text := format(
        '(e.v::@extschema:vector@.halfvec(%1$s)) operator(@extschema:vector@.%2$s) '
        '($1::@extschema:vector@.halfvec(%1$s))',
        (model).dimensions,
        case (model).metric when 'cosine' then '<=>' when 'l2' then '<->' else '<#>' end);
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
        '%s, c.document_id, c.chunk_index, null::text '
        'from %%s n join rag_internal.chunk c using (chunk_id) '
        'order by 2 limit %s', _similarity, cut);
    _count bigint;
begin
    execute format('select count(*) from (select %s limit %s) s',
                   case when _filters = '' then _in_scope else _candidates end, _exact_up_to + 1)
    into _count
    using query_vector, (scope).acl_ids, (scope).collection_ids, (scope).filter,
          (scope).filter_path, (scope).vars, conditions;
    if _count > _exact_up_to and cut <= _exact_up_to then
        perform set_config('hnsw.ef_search', least(greatest(cut, 40), 1000)::text, true);
        return query execute format(
            'with nearest as materialized '
            '(select e.chunk_id, %1$s as distance %2$s order by %1$s limit %3$s), '
            'enough as materialized (select from nearest having count(*) = %3$s) %4$s',
            _distance, _candidates, cut,
            format(_ranked, '(select * from nearest where exists (select from enough))'))
        using query_vector, (scope).acl_ids, (scope).collection_ids, (scope).filter,
              (scope).filter_path, (scope).vars, conditions;
        if found then
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
    rag_internal.scope, rag_internal.text_condition[], bigint) is
    'At most cut passages by vector distance. Score: cosine 1 - d, L2 1 / (1 + d), inner product '
    '-d. Exact up to 10,000 candidates, approximate (HNSW) above; always min(cut, candidates) '
    'rows.';
alter function rag_internal.semantic_leg(@extschema:vector@.vector, rag_internal.model,
    rag_internal.scope, rag_internal.text_condition[], bigint) owner to rag_owner;
revoke all on function rag_internal.semantic_leg(@extschema:vector@.vector, rag_internal.model,
    rag_internal.scope, rag_internal.text_condition[], bigint) from public;
