-- The measures of one ranking.
create or replace function rag_internal.ranking_scores(
    stage      text,
    places     bigint[],
    relevances integer[],
    wanted     integer[]
) returns rag_internal.stage_score
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    with gain as (
        select sum((2.0::float8 ^ f.relevance - 1) * ln(2) / ln(f.place + 1))
                   filter (where f.place <= 10) as found,
               min(f.place) filter (where f.place <= 10) as first,
               count(*) filter (where f.place <= 5) as within_5,
               count(*) filter (where f.place <= 20) as within_20,
               count(*) filter (where f.place <= 50) as within_50
        from unnest(places, relevances) f (place, relevance)
        where f.relevance > 0
    ), ideal as (
        select sum((2.0::float8 ^ i.relevance - 1) * ln(2) / ln(i.place + 1))
                   filter (where i.place <= 10) as found,
               count(*)::float8 as answers
        from (select w.relevance, row_number() over (order by w.relevance desc) as place
              from unnest(wanted) w (relevance)
              where w.relevance > 0) i
    )
    select row(ranking_scores.stage, coalesce(g.found / i.found, 0),
               coalesce(1 / g.first::float8, 0), g.within_5 / i.answers, g.within_20 / i.answers,
               g.within_50 / i.answers)::rag_internal.stage_score
    from gain g, ideal i
    where i.answers > 0
$$;

comment on function rag_internal.ranking_scores(text, bigint[], integer[], integer[]) is
    'places and relevances: of what was found; wanted: the relevance of all that is judged, '
    'relevant being what is above 0; null where nothing is. nDCG@10 with gain 2^relevance - 1 '
    '(Burges et al., ICML 2005) and discount 1 / log2(place + 1) (Järvelin and Kekäläinen, ACM '
    'TOIS 2002); the reciprocal rank of the first answer within 10; the share of the answers '
    'within 5, 20 and 50.';
alter function rag_internal.ranking_scores(text, bigint[], integer[], integer[]) owner to rag_owner;
revoke all on function rag_internal.ranking_scores(text, bigint[], integer[], integer[]) from
    public;
