-- Fuses the legs of a hybrid search into one order, by reciprocal rank.
-- How deep a leg looks changes what it adds, so the order is made in tiers whose depth does not
-- depend on the page: the first 100 places by the first 100 ranks of each leg, the next 900 by
-- 1,000, and so on. That keeps pages disjoint, and the top 5 the beginning of the top 500.
create or replace function rag_internal.fuse(
    hits    rag_internal.leg_hit[],
    weights jsonb,
    rrf_k   integer,
    places  bigint
) returns setof rag_internal.leg_hit
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _depth bigint := rag_internal.leg_depth(1);
    _placed rag_internal.leg_hit[] := '{}';
    _tier rag_internal.leg_hit[];
begin
    loop
        _tier := array(
            select row('hybrid',
                       cardinality(_placed)
                       + row_number() over (order by s.score desc, s.document_id, s.chunk_index),
                       s.score, s.document_id, s.chunk_index, null)::rag_internal.leg_hit
            from (select h.document_id, h.chunk_index,
                         sum(rag_internal.reciprocal_rank((weights ->> h.leg)::double precision,
                                                          rrf_k, h.rank) order by h.leg) as score
                  from unnest(hits) h
                  where h.rank <= _depth
                    and not exists (select from unnest(_placed) p
                                    where p.document_id = h.document_id
                                      and p.chunk_index = h.chunk_index)
                  group by h.document_id, h.chunk_index) s
            order by s.score desc, s.document_id, s.chunk_index
            limit _depth - cardinality(_placed));
        return query select t.* from unnest(_tier) t;
        exit when _depth >= places;
        _placed := _placed || _tier;
        _depth := rag_internal.leg_depth(_depth + 1);
    end loop;
end
$$;

comment on function rag_internal.fuse(rag_internal.leg_hit[], jsonb, integer, bigint) is
    'Passages in fused order, at least as many as places where the legs have them. score = sum of '
    'weight / (rrf_k + rank) over the legs that have the passage within the depth of its tier.';
alter function rag_internal.fuse(rag_internal.leg_hit[], jsonb, integer, bigint) owner to rag_owner;
revoke all on function rag_internal.fuse(rag_internal.leg_hit[], jsonb, integer,
    bigint) from public;
