-- Reads the first passages of a ranking together with the query and orders them by how well they
-- answer it. They are taken in blocks, so that the pages of one size are disjoint: the first block
-- fills the first places, the next one those after them.
create or replace function rag_internal.rerank_hits(
    ranking     rag_internal.leg_hit[],
    query       text,
    hits        rag_internal.leg_hit[],
    request     rag_internal.search_request,
    block       bigint,
    out ranked  rag_internal.leg_hit[],
    out scores  rag_internal.leg_hit[],
    out notes   text[],
    out step    rag.search_step,
    out is_open boolean
)
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _places bigint := (request).top_k::bigint + (request).skip;
    -- for variety a block has to be whole
    _wanted bigint := case when (request).mmr_lambda is null then _places
                           else (_places + block - 1) / block * block end;
    _first bigint := 1;
    _candidates rag_internal.leg_hit[];
    _texts text[];
    _scores double precision[];
    _message text;
    _hint text;
    _started timestamptz := clock_timestamp();
begin
    ranked := ranking;
    scores := '{}';
    notes := '{}';
    is_open := true;
    if exists (select from unnest(hits) h
               where h.leg = 'semantic' and h.rank = 1
                 and h.score >= (request).close_similarity) then
        step := rag_internal.search_step('rerank', 'skipped', 'a passage is very close by vector',
                                         0, _started);
        return;
    end if;
    begin
        ranked := '{}';
        while cardinality(ranked) < _wanted and _first <= cardinality(ranking) loop
            _candidates := ranking[_first : least(_first + block - 1, cardinality(ranking))];
            _texts := array(
                select c.content
                from unnest(_candidates) r
                join rag_internal.chunk c using (document_id, chunk_index)
                order by r.rank);
            _scores := rag_internal.rerank_passages(rerank_hits.query, _texts,
                                                    nullif((request).rerank, 'default'));
            scores := scores || array(
                select row('rerank', c.rank, s.score, c.document_id, c.chunk_index,
                           null)::rag_internal.leg_hit
                from unnest(_candidates) with ordinality c
                join unnest(_scores) with ordinality s (score, ordinality) using (ordinality));
            ranked := ranked || array(
                select row('rerank',
                           cardinality(ranked) + row_number() over (order by s.score desc, c.rank),
                           s.score, c.document_id, c.chunk_index, null)::rag_internal.leg_hit
                from unnest(_candidates) with ordinality c
                join unnest(_scores) with ordinality s (score, ordinality) using (ordinality)
                where coalesce(s.score >= (request).min_relevance, true)
                order by s.score desc, c.rank);
            _first := _first + block;
        end loop;
    exception when object_not_in_prerequisite_state then
        if not (request).rerank_optional then
            raise;
        end if;
        get stacked diagnostics _message = message_text, _hint = pg_exception_hint;
        _message := regexp_replace(_message, '^ragsql: ', '');
        ranked := ranking;
        scores := '{}';
        notes := array[format('rerank: %s', _message)
                       || case when num_nonnulls((request).gate, (request).min_relevance) > 0
                               then '; gate and min_relevance were not asked' else '' end];
        step := rag_internal.search_step('rerank', 'left out', _message, 0, _started);
        return;
    end;
    if (request).gate is not null then
        is_open := coalesce((select avg(abs(r.score)) >= (request).gate
                             from unnest(ranked[: (request).top_k]) r), false);
    end if;
    if not is_open then
        ranked := '{}';
    end if;
    step := rag_internal.search_step(
        'rerank', case when is_open then (request).rerank else 'abstained' end,
        format('%s read, %s kept', cardinality(scores), cardinality(ranked)),
        cardinality(scores), _started);
end
$$;

comment on function rag_internal.rerank_hits(rag_internal.leg_hit[], text, rag_internal.leg_hit[],
    rag_internal.search_request, bigint) is
    'The ranking in the order of the reranker, without what is below min_relevance: so many blocks '
    'of it as the page needs, each ordered by itself. scores: rerank_score of all that were read. '
    'is_open false: the mean of the first top_k is below gate, and nothing is left. Where the '
    'reranker cannot be asked, 55000, or the ranking as it was and a note where it is optional.';
alter function rag_internal.rerank_hits(rag_internal.leg_hit[], text, rag_internal.leg_hit[],
    rag_internal.search_request, bigint) owner to rag_owner;
revoke all on function rag_internal.rerank_hits(rag_internal.leg_hit[], text,
    rag_internal.leg_hit[], rag_internal.search_request, bigint) from public;
