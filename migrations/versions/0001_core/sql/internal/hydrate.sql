-- Cuts the page out of the ranking and reads its passages, whose class is checked once more.
create or replace function rag_internal.hydrate(
    ranking  rag_internal.leg_hit[],
    hits     rag_internal.leg_hit[],
    scope    rag_internal.scope,
    degraded text[],
    places   bigint,
    skip     integer
) returns setof rag.hit
language sql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
    with page as (
        select r.rank, r.score, r.chunk_id, r.document_id, r.chunk_index
        from unnest(ranking) r
        where r.rank > skip and r.rank <= places
    ), leg as (
        select h.chunk_id,
               min(h.rank) filter (where h.leg = 'semantic') as semantic_rank,
               min(h.score) filter (where h.leg = 'semantic') as semantic_score,
               min(h.rank) filter (where h.leg = 'bm25') as bm25_rank,
               min(h.score) filter (where h.leg = 'bm25') as bm25_score,
               min(h.rank) filter (where h.leg = 'fuzzy') as fuzzy_rank,
               min(h.score) filter (where h.leg = 'fuzzy') as fuzzy_score
        from unnest(hits) h
        where h.chunk_id in (select page.chunk_id from page)
        group by h.chunk_id
    )
    select p.rank, p.score, p.document_id, p.chunk_index, k.name, d.source, d.title, c.heading,
           c.content, null, c.start_offset, c.end_offset, c.start_line, c.end_line, c.page, c.kind,
           d.metadata || c.metadata, l.semantic_rank, l.semantic_score, l.bm25_rank, l.bm25_score,
           l.fuzzy_rank, l.fuzzy_score, null::double precision, null, degraded,
           format('%s/%s@%s:%s-%s', d.document_id, c.chunk_index,
                  left(encode(d.content_hash, 'hex'), 16), c.start_offset, c.end_offset)
    from page p
    join leg l using (chunk_id)
    join rag_internal.chunk c using (chunk_id)
    join rag_internal.document d on d.document_id = c.document_id
    join rag_internal.collection k on k.collection_id = d.collection_id
    where d.acl_id = any ((scope).acl_ids)
    order by p.rank
$$;

comment on function rag_internal.hydrate(rag_internal.leg_hit[], rag_internal.leg_hit[],
    rag_internal.scope, text[], bigint, integer) is
    'The hits at places skip + 1 to places of the ranking, with their rank and score in each leg. '
    'citation is document/chunk@hash:start-end.';
alter function rag_internal.hydrate(rag_internal.leg_hit[], rag_internal.leg_hit[],
    rag_internal.scope, text[], bigint, integer) owner to rag_owner;
revoke all on function rag_internal.hydrate(rag_internal.leg_hit[], rag_internal.leg_hit[],
    rag_internal.scope, text[], bigint, integer) from public;
