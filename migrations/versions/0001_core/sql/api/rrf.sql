-- Fuses rankings of anything that has an id; what rag.search does with its legs,
-- for rankings of your own.
create or replace function rag.rrf(
    rankings jsonb,
    weights  jsonb   default null,
    rrf_k    integer default 60
) returns setof rag.fused
language sql immutable parallel safe
begin atomic
    with given as materialized (
        select rag_internal.check_rankings(rrf.rankings) as rankings
    ), settings as materialized (
        select rag_internal.check_weights(
                   rrf.weights,
                   (select coalesce(jsonb_object_agg(k, 1), '{"": 1}')
                    from given g, jsonb_object_keys(g.rankings) k),
                   rrf.rrf_k) as weights
    ), ranked as (
        select r.key as ranking, i.id, min(i.rank) as rank
        from given g, jsonb_each(g.rankings) r,
             jsonb_array_elements_text(r.value) with ordinality i (id, rank)
        group by r.key, i.id
    ), fused as (
        select r.id,
               sum(rag_internal.reciprocal_rank((s.weights ->> r.ranking)::double precision,
                                                rrf.rrf_k, r.rank)
                   order by r.ranking) as score,
               jsonb_object_agg(r.ranking, r.rank) as ranks
        from ranked r, settings s
        where (s.weights ->> r.ranking)::double precision > 0
        group by r.id
    )
    select row_number() over (order by f.score desc, f.id collate "C")::integer, f.score, f.id,
           f.ranks
    from fused f
    order by 1;
end;

comment on function rag.rrf(jsonb, jsonb, integer) is
    'Weighted reciprocal rank fusion of named rankings, best id first: {"mine": ["a", "b"], '
    '"theirs": ["b"]}. score = sum of weight / (rrf_k + rank) over the rankings that have the id; '
    'weights {"mine": 2} default to 1, and 0 leaves a ranking out. Source: Cormack, Clarke, '
    'Buettcher, SIGIR 2009.';
alter function rag.rrf(jsonb, jsonb, integer) owner to rag_owner;
revoke all on function rag.rrf(jsonb, jsonb, integer) from public;
grant execute on function rag.rrf(jsonb, jsonb, integer) to rag_reader;
