-- The legs of a search, each as deep as asked.
create or replace function rag_internal.run_legs(
    request   rag_internal.search_request,
    query     text,
    scope     rag_internal.scope,
    depth     bigint,
    out hits  rag_internal.leg_hit[],
    out notes text[],
    out steps rag.search_step[],
    out is_cut boolean
)
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _legs text[] := rag_internal.legs_of(request);
    _leg text;
    _found rag_internal.leg_hit[];
    _steps rag.search_step[];
    _notes text[];
    _why text;
    _started timestamptz;
begin
    hits := '{}';
    notes := '{}';
    steps := '{}';
    is_cut := false;
    foreach _leg in array _legs loop
        _started := clock_timestamp();
        _notes := '{}';
        _why := case when _leg in ('semantic', 'hyde')
                     then rag_internal.lead_of_bm25(hits, request) end;
        if _why is not null then
            steps := steps || rag_internal.search_step(_leg, 'skipped', _why, 0, _started);
            continue;
        end if;
        begin
            if _leg in ('semantic', 'hyde') then
                -- collections that nobody named may be of those who share what cannot be asked
                select l.hits, l.notes, l.steps into _found, _notes, _steps
                from rag_internal.semantic_legs(
                    case _leg when 'semantic' then run_legs.query end,
                    case _leg when 'semantic' then (request).query_vector
                              else (request).hyde_vector end,
                    scope, depth,
                    (request).collections is null or coalesce((request).allow_degraded, false)) l;
            else
                _found := rag_internal.run_leg(_leg, run_legs.query, scope, depth,
                                               (request).max_distance);
                _steps := array[rag_internal.search_step(
                    _leg, 'postings', 'exact, over the passages that the caller sees',
                    cardinality(_found), _started)];
            end if;
        exception when object_not_in_prerequisite_state then
            if cardinality(_legs) = 1 or not rag_internal.can_do_without(_leg, request, scope) then
                raise;
            end if;
            _why := regexp_replace(sqlerrm, '^ragsql: ', '');
            notes := notes || format('%s: %s', _leg, _why);
            steps := steps || rag_internal.search_step(_leg, 'left out', _why, 0, _started);
            continue;
        end;
        if _steps = '{}' then
            _steps := array[rag_internal.search_step(
                _leg, 'none', 'the caller sees nothing that has a vector', 0, _started)];
        end if;
        is_cut := is_cut or cardinality(_found) >= depth;
        if (request).min_score is not null
           and (cardinality(_legs) = 1 or _leg in ('semantic', 'hyde')) then
            _found := array(select h from unnest(_found) h where h.score >= (request).min_score);
        end if;
        if _leg = 'hyde' then
            _found := array(select row('hyde', h.rank, h.score, h.document_id, h.chunk_index,
                                       h.corrected_query)::rag_internal.leg_hit
                            from unnest(_found) h);
        end if;
        hits := hits || _found;
        notes := notes || _notes;
        steps := steps || _steps;
    end loop;
end
$$;

comment on function rag_internal.run_legs(rag_internal.search_request, text, rag_internal.scope,
    bigint) is
    'The best passages of each leg, at most depth of them, ranked from 1. is_cut: a leg may have '
    'more. notes: what may be missing, for degraded.';
alter function rag_internal.run_legs(rag_internal.search_request, text, rag_internal.scope, bigint)
    owner to rag_owner;
revoke all on function rag_internal.run_legs(rag_internal.search_request, text, rag_internal.scope,
    bigint) from public;
