-- Reads the passages of a page, whose class is checked once more.
create or replace function rag_internal.read_passages(search rag_internal.retrieval)
returns rag_internal.retrieval
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
    _result rag_internal.retrieval := search;
    _page rag_internal.leg_hit[] := _result.ranking;
    _hits rag_internal.leg_hit[] := _result.leg_hits;
    _query text := _result.query;
    _highlight boolean := (_result.request).highlight;
    _expand text := (_result.request).expand;
    _is_lax boolean := (_result.request).include_archived or (_result.request).as_of is not null;
    _degraded text[] := nullif(_result.degraded, '{}');
    _corrected_query text := coalesce(
        nullif(_query, (_result.request).query),
        (select max(h.corrected_query) from unnest(_hits) h where h.leg = 'fuzzy'));
    _started timestamptz := clock_timestamp();
begin
    _result.hits := array(
        with leg as (
            select h.document_id, h.chunk_index,
                   min(h.rank) filter (where h.leg = 'semantic') as semantic_rank,
                   min(h.score) filter (where h.leg = 'semantic') as semantic_score,
                   min(h.rank) filter (where h.leg = 'bm25') as bm25_rank,
                   min(h.score) filter (where h.leg = 'bm25') as bm25_score,
                   min(h.rank) filter (where h.leg = 'fuzzy') as fuzzy_rank,
                   min(h.score) filter (where h.leg = 'fuzzy') as fuzzy_score,
                   min(h.score) filter (where h.leg = 'rerank') as rerank_score
            from unnest(_hits) h
            group by h.document_id, h.chunk_index
        )
        select row(p.rank, p.score, p.document_id, p.chunk_index, k.name, d.source, d.title,
               c.heading,
               c.content, m.marked, c.start_offset, c.end_offset, c.start_line, c.end_line,
               c.page, c.kind, d.metadata || c.metadata, l.semantic_rank, l.semantic_score,
               l.bm25_rank, l.bm25_score, l.fuzzy_rank, l.fuzzy_score, l.rerank_score,
               _corrected_query, _degraded,
               rag_internal.citation(d.document_id, c.chunk_index, d.content_hash, c.content,
                                     c.start_offset, c.end_offset),
               d.version, m.matches, e.content, e.start_offset, e.end_offset)::rag.hit
        from unnest(_page) p
        join leg l using (document_id, chunk_index)
        join rag_internal.chunk c using (document_id, chunk_index)
        join rag_internal.document d using (document_id)
        join rag_internal.collection k using (collection_id)
        -- asked for within, or they would be called all the same
        left join lateral (
            select f.* from rag_internal.marked_passage(
                c.content, c.start_offset, coalesce(_corrected_query, _query),
                d.text_config) f
            where _highlight) m on true
        left join lateral (
            select f.* from rag_internal.expand_passage(
                c.document_id, c.chunk_index, _expand) f
            where _expand <> 'chunk') e on true
        where d.acl_id in (
            select rag_internal.visible_acls(_result.identity, array(
                select e.acl_id
                from unnest(_page) r join rag_internal.document e using (document_id))))
          and (_is_lax or exists (select from rag_internal.live_chunk l
                                  where l.chunk_id = c.chunk_id))
        order by p.rank);
    _result.steps := _result.steps || rag_internal.search_step(
        'passages', null, null, cardinality(_result.hits), _started);
    return _result;
end
$$;

comment on function rag_internal.read_passages(rag_internal.retrieval) is
    'The search with its hits: the page of the ranking, with their rank and score in each leg, and '
    'corrected_query where the legs looked for something else than was asked. A passage that the '
    'identity does not see, or that is not live, is left out.';
alter function rag_internal.read_passages(rag_internal.retrieval) owner to rag_owner;
revoke all on function rag_internal.read_passages(rag_internal.retrieval) from public;
