-- Merges the hits of several searches by the ranks they have there. The constant is 1, not 60:
-- parts ask for different things, and what is first for one goes before what is middling for two.
create or replace function rag_internal.merge_hits(
    hits    rag.hit[],
    weights double precision[],
    request rag_internal.search_request
) returns rag.hit[]
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _degraded text[] := (
        select array_agg(distinct n) from unnest(hits) h, unnest(h.degraded) n);
    _ranking rag_internal.leg_hit[] := array(
        select row('merge',
                   row_number() over (order by s.score desc, s.document_id, s.chunk_index),
                   s.score, s.document_id, s.chunk_index, null)::rag_internal.leg_hit
        from (select h.document_id, h.chunk_index,
                     sum(rag_internal.reciprocal_rank(w.weight, 1, h.rank)
                         order by h.ordinality) as score
              from unnest(hits) with ordinality h
              join unnest(weights) with ordinality w (weight, ordinality) using (ordinality)
              group by h.document_id, h.chunk_index) s
        order by s.score desc, s.document_id, s.chunk_index);
    _merged rag.hit[] := '{}';
    _place record;
    _hit rag.hit;
begin
    _ranking := rag_internal.choose_candidates(_ranking, request);
    for _place in
        select r.rank, r.score, b.place
        from unnest(_ranking[:(request).top_k]) r
        join (select distinct on (h.document_id, h.chunk_index)
                     h.document_id, h.chunk_index, h.ordinality as place
              from unnest(hits) with ordinality h
              join unnest(weights) with ordinality w (weight, ordinality) using (ordinality)
              order by h.document_id, h.chunk_index,
                       rag_internal.reciprocal_rank(w.weight, 1, h.rank) desc, h.ordinality) b
             using (document_id, chunk_index)
        order by r.rank
    loop
        _hit := hits[_place.place];
        _hit.rank := _place.rank;
        _hit.score := _place.score;
        _hit.degraded := _degraded;
        _merged := array_append(_merged, _hit);
    end loop;
    return _merged;
end
$$;

comment on function rag_internal.merge_hits(rag.hit[], double precision[],
    rag_internal.search_request) is
    'The top_k best passages by the sum of weight / (1 + rank) over the lists that have them; '
    'each is shown as the list tells it that adds most. weights: of the list of each hit.';
alter function rag_internal.merge_hits(rag.hit[], double precision[], rag_internal.search_request)
    owner to rag_owner;
revoke all on function rag_internal.merge_hits(rag.hit[], double precision[],
    rag_internal.search_request) from public;
