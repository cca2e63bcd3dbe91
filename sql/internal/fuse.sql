-- Fuses the legs of a search into one order.
-- How deep a leg looks changes what it adds, so the order is made in tiers whose depth does not
-- depend on the page: the first 100 places by the first 100 ranks of each leg, the next 900 by
-- 1,000, and so on. That keeps pages disjoint, and the top 5 the beginning of the top 500.
create or replace function rag_internal.fuse(
    hits    rag_internal.leg_hit[],
    request rag_internal.search_request,
    depth   bigint
) returns rag_internal.leg_hit[]
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _depth bigint := rag_internal.first_depth(request, 1);
    _placed rag_internal.leg_hit[] := '{}';
begin
    if (request).strategy <> 'hybrid' then
        return hits;
    end if;
    loop
        _placed := _placed || array(
            select row('hybrid',
                       cardinality(_placed)
                       + row_number() over (order by s.score desc, s.document_id, s.chunk_index),
                       s.score, s.document_id, s.chunk_index, null)::rag_internal.leg_hit
            from (select c.document_id, c.chunk_index, sum(c.score order by c.leg) as score
                  from rag_internal.contributions(hits, request, _depth) c
                  where not exists (select from unnest(_placed) p
                                    where p.document_id = c.document_id
                                      and p.chunk_index = c.chunk_index)
                  group by c.document_id, c.chunk_index) s
            order by s.score desc, s.document_id, s.chunk_index
            limit _depth - cardinality(_placed));
        exit when _depth >= depth;
        _depth := rag_internal.leg_depth(_depth + 1);
    end loop;
    return _placed;
end
$$;

comment on function rag_internal.fuse(rag_internal.leg_hit[], rag_internal.search_request,
    bigint) is
    'Passages in fused order, in tiers up to depth. score: the sum of what the legs contribute '
    'that have the passage within the depth of its tier. A single leg is its own order.';
alter function rag_internal.fuse(rag_internal.leg_hit[], rag_internal.search_request, bigint) owner
    to rag_owner;
revoke all on function rag_internal.fuse(rag_internal.leg_hit[], rag_internal.search_request,
    bigint) from public;
