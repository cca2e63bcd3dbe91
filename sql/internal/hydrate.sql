-- Cuts the page out of the ranking and reads its passages, whose class is checked once more.
create or replace function rag_internal.hydrate(
    ranking  rag_internal.leg_hit[],
    hits     rag_internal.leg_hit[],
    scope    rag_internal.scope,
    request  rag_internal.search_request,
    query    text,
    degraded text[]
) returns setof rag.hit
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
    _page rag_internal.leg_hit[] := ranking[(request).skip + 1 : (request).skip + (request).top_k];
    _corrected_query text := coalesce(
        nullif(hydrate.query, (request).query),
        (select max(h.corrected_query) from unnest(hits) h where h.leg = 'fuzzy'));
begin
    return query
        with leg as (
            select h.document_id, h.chunk_index,
                   min(h.rank) filter (where h.leg = 'semantic') as semantic_rank,
                   min(h.score) filter (where h.leg = 'semantic') as semantic_score,
                   min(h.rank) filter (where h.leg = 'bm25') as bm25_rank,
                   min(h.score) filter (where h.leg = 'bm25') as bm25_score,
                   min(h.rank) filter (where h.leg = 'fuzzy') as fuzzy_rank,
                   min(h.score) filter (where h.leg = 'fuzzy') as fuzzy_score,
                   min(h.score) filter (where h.leg = 'rerank') as rerank_score
            from unnest(hits) h
            group by h.document_id, h.chunk_index
        )
        select p.rank, p.score, p.document_id, p.chunk_index, k.name, d.source, d.title, c.heading,
               c.content, m.marked, c.start_offset, c.end_offset, c.start_line, c.end_line,
               c.page, c.kind, d.metadata || c.metadata, l.semantic_rank, l.semantic_score,
               l.bm25_rank, l.bm25_score, l.fuzzy_rank, l.fuzzy_score, l.rerank_score,
               _corrected_query, degraded,
               rag_internal.citation(d.document_id, c.chunk_index, d.content_hash, c.content,
                                     c.start_offset, c.end_offset),
               d.version, m.matches, e.content, e.start_offset, e.end_offset
        from unnest(_page) p
        join leg l using (document_id, chunk_index)
        join rag_internal.chunk c using (document_id, chunk_index)
        join rag_internal.document d using (document_id)
        join rag_internal.collection k using (collection_id)
        -- asked for within, or they would be called all the same
        left join lateral (
            select f.* from rag_internal.marked_passage(
                c.content, c.start_offset, coalesce(_corrected_query, hydrate.query),
                d.text_config) f
            where (request).highlight) m on true
        left join lateral (
            select f.* from rag_internal.expand_passage(
                c.document_id, c.chunk_index, (request).expand) f
            where (request).expand <> 'chunk') e on true
        where d.acl_id in (
            select rag_internal.visible_acls((scope).identity, array(
                select e.acl_id
                from unnest(_page) r join rag_internal.document e using (document_id))))
        order by p.rank;
end
$$;

comment on function rag_internal.hydrate(rag_internal.leg_hit[], rag_internal.leg_hit[],
    rag_internal.scope, rag_internal.search_request, text, text[]) is
    'The hits of the page that the request asks for, with their rank and score in each leg. query: '
    'what the legs looked for; corrected_query says so where it is not what was asked.';
alter function rag_internal.hydrate(rag_internal.leg_hit[], rag_internal.leg_hit[],
    rag_internal.scope, rag_internal.search_request, text, text[]) owner to rag_owner;
revoke all on function rag_internal.hydrate(rag_internal.leg_hit[], rag_internal.leg_hit[],
    rag_internal.scope, rag_internal.search_request, text, text[]) from public;
