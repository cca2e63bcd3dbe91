-- Cuts the page out of the ranking and reads its passages, whose class is checked once more.
create or replace function rag_internal.hydrate(
    ranking  rag_internal.leg_hit[],
    hits     rag_internal.leg_hit[],
    scope    rag_internal.scope,
    degraded text[],
    places   bigint,
    skip     integer
) returns setof rag.hit
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
    _page rag_internal.leg_hit[] := array(
        select r from unnest(ranking) r where r.rank > skip and r.rank <= places);
    _corrected_query text := (
        select max(h.corrected_query) from unnest(hits) h where h.leg = 'fuzzy');
begin
    return query
        with leg as (
            select h.document_id, h.chunk_index,
                   min(h.rank) filter (where h.leg = 'semantic') as semantic_rank,
                   min(h.score) filter (where h.leg = 'semantic') as semantic_score,
                   min(h.rank) filter (where h.leg = 'bm25') as bm25_rank,
                   min(h.score) filter (where h.leg = 'bm25') as bm25_score,
                   min(h.rank) filter (where h.leg = 'fuzzy') as fuzzy_rank,
                   min(h.score) filter (where h.leg = 'fuzzy') as fuzzy_score
            from unnest(hits) h
            group by h.document_id, h.chunk_index
        )
        select p.rank, p.score, p.document_id, p.chunk_index, k.name, d.source, d.title, c.heading,
               c.content, null::text, c.start_offset, c.end_offset, c.start_line, c.end_line,
               c.page, c.kind, d.metadata || c.metadata, l.semantic_rank, l.semantic_score,
               l.bm25_rank, l.bm25_score, l.fuzzy_rank, l.fuzzy_score, null::double precision,
               _corrected_query, degraded,
               format('%s/%s@%s:%s-%s', d.document_id, c.chunk_index,
                      left(encode(d.content_hash, 'hex'), 16), c.start_offset, c.end_offset)
        from unnest(_page) p
        join leg l using (document_id, chunk_index)
        join rag_internal.chunk c using (document_id, chunk_index)
        join rag_internal.document d using (document_id)
        join rag_internal.collection k using (collection_id)
        where d.acl_id in (
            select rag_internal.visible_acls((scope).identity, array(
                select e.acl_id
                from unnest(_page) r join rag_internal.document e using (document_id))))
        order by p.rank;
end
$$;

comment on function rag_internal.hydrate(rag_internal.leg_hit[], rag_internal.leg_hit[],
    rag_internal.scope, text[], bigint, integer) is
    'The hits at places skip + 1 to places of the ranking, with their rank and score in each leg, '
    'and what the fuzzy leg searched for instead of the query. citation is '
    'document/chunk@hash:start-end.';
alter function rag_internal.hydrate(rag_internal.leg_hit[], rag_internal.leg_hit[],
    rag_internal.scope, text[], bigint, integer) owner to rag_owner;
revoke all on function rag_internal.hydrate(rag_internal.leg_hit[], rag_internal.leg_hit[],
    rag_internal.scope, text[], bigint, integer) from public;
