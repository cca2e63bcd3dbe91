-- What each leg adds to the fused score of a passage.
create or replace function rag_internal.contributions(
    hits    rag_internal.leg_hit[],
    request rag_internal.search_request,
    depth   bigint
) returns setof rag_internal.leg_hit
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
begin
    return query
        select h.leg, h.rank,
               (case (request).fusion
                    -- rag_internal.reciprocal_rank, which would not be inlined
                    when 'rrf' then w.weight / ((request).rrf_k::double precision + h.rank)
                    when 'linear' then w.weight * (1 - (h.rank - 1) / count(*) over leg::float8)
                    when 'convex' then
                        w.weight * case when h.leg in ('semantic', 'hyde')
                                        then coalesce((h.score - min(h.score) over leg)
                                                      / nullif(max(h.score) over leg
                                                               - min(h.score) over leg, 0), 1)
                                        else coalesce(h.score / nullif(max(h.score) over leg, 0), 1)
                                   end
                end),
               h.document_id, h.chunk_index, h.corrected_query
        from unnest(hits) h
        join lateral (select ((request).weights ->> h.leg)::double precision as weight) w on true
        where h.rank <= contributions.depth
        window leg as (partition by h.leg);
end
$$;

comment on function rag_internal.contributions(rag_internal.leg_hit[], rag_internal.search_request,
    bigint) is
    'The hits within depth, with their part of the fused score as score. rrf: weight / (rrf_k + '
    'rank) (Cormack, Clarke, Buettcher, SIGIR 2009). linear: weight (1 - (rank - 1) / length of '
    'the list). convex: weight x score, min-max over the list of a leg by vectors, divided by the '
    'best one of a leg by words (Bruch, Gai, Ingber, ACM TOIS 2023).';
alter function rag_internal.contributions(rag_internal.leg_hit[], rag_internal.search_request,
    bigint) owner to rag_owner;
revoke all on function rag_internal.contributions(rag_internal.leg_hit[],
    rag_internal.search_request, bigint) from public;
