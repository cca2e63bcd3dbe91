-- Fuses what the legs found, cuts the page, and reads the passages, whose
-- class is checked once more.
create or replace function rag_internal.hydrate(
    hits     rag_internal.leg_hit[],
    scope    rag_internal.scope,
    weights  jsonb,
    rrf_k    integer,
    fused    boolean,
    degraded text[],
    top_k    integer,
    skip     integer
) returns setof rag.hit
language sql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
    with found as (
        select h.chunk_id, h.document_id, h.chunk_index,
               case when fused
                    then sum(rag_internal.reciprocal_rank((weights ->> h.leg)::double precision,
                                                          rrf_k, h.rank)
                             order by h.leg)
                    else min(h.score) end as score,
               min(h.rank) as best_rank,
               min(h.rank) filter (where h.leg = 'semantic') as semantic_rank,
               min(h.score) filter (where h.leg = 'semantic') as semantic_score,
               min(h.rank) filter (where h.leg = 'bm25') as bm25_rank,
               min(h.score) filter (where h.leg = 'bm25') as bm25_score,
               min(h.rank) filter (where h.leg = 'fuzzy') as fuzzy_rank,
               min(h.score) filter (where h.leg = 'fuzzy') as fuzzy_score
        from unnest(hits) h
        group by h.chunk_id, h.document_id, h.chunk_index
    ), page as (
        select f.*, (row_number() over (order by case when fused then -f.score else f.best_rank end,
                                                 f.document_id, f.chunk_index))::integer as rank
        from found f
        order by rank
        limit top_k offset skip
    )
    select p.rank, p.score, p.document_id, p.chunk_index, k.name, d.source, d.title, c.heading,
           c.content, null, c.start_offset, c.end_offset, c.start_line, c.end_line, c.page, c.kind,
           d.metadata || c.metadata, p.semantic_rank, p.semantic_score, p.bm25_rank, p.bm25_score,
           p.fuzzy_rank, p.fuzzy_score, null::double precision, null, degraded,
           format('%s/%s@%s:%s-%s', d.document_id, c.chunk_index,
                  left(encode(d.content_hash, 'hex'), 16), c.start_offset, c.end_offset)
    from page p
    join rag.chunk c using (chunk_id)
    join rag.document d on d.document_id = c.document_id
    join rag.collection k on k.collection_id = d.collection_id
    where d.acl_id = any ((scope).acl_ids)
    order by p.rank
$$;

comment on function rag_internal.hydrate(rag_internal.leg_hit[], rag_internal.scope, jsonb, integer,
    boolean, text[], integer, integer) is
    'The page of hits: fused by reciprocal rank, or in the order of a single leg; ties by '
    '(document_id, chunk_index). citation is document/chunk@hash:start-end.';
alter function rag_internal.hydrate(rag_internal.leg_hit[], rag_internal.scope, jsonb, integer,
    boolean, text[], integer, integer) owner to rag_owner;
revoke all on function rag_internal.hydrate(rag_internal.leg_hit[], rag_internal.scope, jsonb,
    integer, boolean, text[], integer, integer) from public;
