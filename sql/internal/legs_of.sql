-- The legs that a search runs.
create or replace function rag_internal.legs_of(request rag_internal.search_request) returns text[]
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    -- in a hybrid a weight of 0 switches a leg off; words come first where they can spare the rest
    return (
        select case when (request).strategy <> 'hybrid' then array[(request).strategy]
                    else array(
                        select l.leg
                        from unnest('{semantic, hyde, bm25, fuzzy}'::text[])
                             with ordinality l (leg, n)
                        where ((request).weights ->> l.leg)::double precision > 0
                          and (l.leg <> 'hyde' or (request).hyde_vector is not null)
                        order by l.leg = 'bm25' and (request).bm25_lead is not null desc, l.n) end);
end
$$;

comment on function rag_internal.legs_of(rag_internal.search_request) is
    'Of a completed request: semantic, hyde (where there is its vector), bm25 and fuzzy for a '
    'hybrid, without those of weight 0; else the one that the strategy names.';
alter function rag_internal.legs_of(rag_internal.search_request) owner to rag_owner;
revoke all on function rag_internal.legs_of(rag_internal.search_request) from public;
