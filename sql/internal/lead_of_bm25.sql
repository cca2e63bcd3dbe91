-- The cascade: where words alone give a clear answer, the search by meaning is spared.
create or replace function rag_internal.lead_of_bm25(
    hits    rag_internal.leg_hit[],
    request rag_internal.search_request
) returns text
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _lead constant double precision := (request).bm25_lead;
    _best double precision;
    _second double precision;
begin
    if _lead is null then
        return null;
    end if;
    select max(h.score) filter (where h.rank = 1), max(h.score) filter (where h.rank = 2)
    into _best, _second
    from unnest(hits) h
    where h.leg = 'bm25';
    return case when _best >= _lead * coalesce(_second, 0)
                then format('the best passage by words leads by %s',
                            case when _second > 0
                                 then round((_best / _second)::numeric, 2)::text
                                 else 'all' end) end;
end
$$;

comment on function rag_internal.lead_of_bm25(rag_internal.leg_hit[],
    rag_internal.search_request) is
    'Why the semantic leg can be skipped: the best BM25 score is bm25_lead times the second or '
    'more; null where it cannot.';
alter function rag_internal.lead_of_bm25(rag_internal.leg_hit[], rag_internal.search_request) owner
    to rag_owner;
revoke all on function rag_internal.lead_of_bm25(rag_internal.leg_hit[],
    rag_internal.search_request) from public;
