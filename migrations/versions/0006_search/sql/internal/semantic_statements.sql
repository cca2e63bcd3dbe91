-- The two ways to find nearest vectors. Either ranks outside, since an index serves only a bare
-- "order by distance" on the expression that it was made on; where that is coarser than the stored
-- vectors it finds more than the cut, and the vectors decide.
-- $1 is the question's vector; masks and filters may ask $2 to $7.
create or replace function rag_internal.semantic_statements(
    model       rag_internal.model,
    cut         bigint,
    reach       bigint,
    enough      bigint,
    mask        text,
    exact_mask  text,
    filters     text,
    live        text,
    out indexed text,
    out exact   text
)
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _form record := rag_internal.vector_form(model);
    -- the question is cast once, not for each vector
    _distance text := format('%s %s (select %s)', format(_form.ranked, 'e.' || _form.stored_in),
                             _form.ranked_by, format(_form.ranked, '$1'));
    _embedding text := format('rag_internal.embedding_%s', (model).model_id);
    _ranked text := format(
        'select ''semantic'' as leg, '
        '(row_number() over (order by n.distance, n.document_id, n.chunk_index))::integer as rank, '
        'rag.similarity(n.distance, %L) as score, n.document_id, n.chunk_index, '
        'null::text as corrected_query from %%s n order by 2 limit %s', (model).metric, cut);
begin
    if _form.indexed is not null then
        indexed := format(
            'with nearest as materialized (select e.chunk_id, %1$s as distance '
            'from (select e.chunk_id, e.%2$s from %3$s e where %4$s and exists '
            '(select from %12$s c where c.chunk_id = e.chunk_id%5$s) '
            'order by %6$s %7$s (select %8$s) limit %9$s) e), '
            'enough as materialized (select from nearest having count(*) >= %10$s) %11$s',
            _distance, _form.stored_in, _embedding, mask, filters,
            format(_form.indexed, 'e.' || _form.stored_in), _form.indexed_by,
            format(_form.indexed, '$1'), reach, enough,
            format(_ranked, '(select n.distance, c.document_id, c.chunk_index '
                            'from nearest n join rag_internal.chunk c using (chunk_id) '
                            'where exists (select from enough))'),
            live);
    end if;
    if filters <> '' then
        exact := format(
            'with nearest as materialized (select c.document_id, c.chunk_index, %s as distance '
            'from %s e join %s c using (chunk_id) where %s%s) %s',
            _distance, _embedding, live, exact_mask, filters, format(_ranked, 'nearest'));
        return;
    end if;
    -- most passages are live: only the nearest are asked, and all where that leaves too few
    exact := format(
        'with candidate as materialized '
        '(select e.chunk_id, %1$s as distance from %2$s e where %3$s), '
        'nearest as materialized (select n.* from candidate n order by n.distance '
        'fetch first %4$s rows with ties), '
        'live as materialized (select n.distance, c.document_id, c.chunk_index '
        'from nearest n join %7$s c using (chunk_id)), '
        'short as materialized (select where (select count(*) from live) < %5$s '
        'and (select count(*) from nearest) < (select count(*) from candidate)) %6$s',
        _distance, _embedding, exact_mask,
        case live when 'rag_internal.live_chunk' then cut + least(cut, 100) else 4 * cut end, cut,
        format(_ranked,
               format('(select * from live where not exists (select from short) union all '
                      'select n.distance, c.document_id, c.chunk_index from candidate n '
                      'join %s c using (chunk_id) where exists (select from short))', live)),
        live);
end
$$;

comment on function rag_internal.semantic_statements(rag_internal.model, bigint, bigint, bigint,
    text, text, text, text) is
    'Queries for rows of rag_internal.leg_hit. indexed: by the vector index among reach vectors, '
    'no row where it finds fewer than enough; null where there is no index. exact: over all '
    'vectors in the mask. filters: conditions on c, rows of live, that begin with "and".';
alter function rag_internal.semantic_statements(rag_internal.model, bigint, bigint, bigint,
    text, text, text, text) owner to rag_owner;
revoke all on function rag_internal.semantic_statements(rag_internal.model, bigint, bigint, bigint,
    text, text, text, text) from public;
