-- Merges the hits of several searches by the ranks they have there.
create or replace function rag_internal.merge_hits(
    hits    rag.hit[],
    weights double precision[],
    most    integer
) returns rag.hit[]
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _degraded text[] := (
        select array_agg(distinct n) from unnest(hits) h, unnest(h.degraded) n);
    _merged rag.hit[] := '{}';
    _place record;
    _hit rag.hit;
begin
    for _place in
        select (array_agg(s.place order by s.share desc, s.place))[1] as told,
               sum(s.share order by s.place) as score
        from (select h.document_id, h.chunk_index, h.ordinality as place,
                     rag_internal.reciprocal_rank(w.weight, 60, h.rank) as share
              from unnest(hits) with ordinality h
              join unnest(weights) with ordinality w (weight, ordinality) using (ordinality)) s
        group by s.document_id, s.chunk_index
        order by score desc, s.document_id, s.chunk_index
        limit most
    loop
        _hit := hits[_place.told];
        _hit.rank := cardinality(_merged) + 1;
        _hit.score := _place.score;
        _hit.degraded := _degraded;
        _merged := array_append(_merged, _hit);
    end loop;
    return _merged;
end
$$;

comment on function rag_internal.merge_hits(rag.hit[], double precision[], integer) is
    'The most best passages by the sum of weight / (60 + rank) over the lists that have them; each '
    'is shown as the list tells it that adds most. weights: of the list of each hit.';
alter function rag_internal.merge_hits(rag.hit[], double precision[], integer) owner to rag_owner;
revoke all on function rag_internal.merge_hits(rag.hit[], double precision[], integer) from public;
