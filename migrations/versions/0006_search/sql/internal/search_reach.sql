-- How many places of a ranking a page depends on: what is ordered anew is ordered in blocks.
create or replace function rag_internal.search_reach(
    request rag_internal.search_request,
    out block bigint,
    out reach bigint
)
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _places bigint := (request).top_k::bigint + (request).skip;
begin
    block := case
        when (request).rerank is not null
        then greatest(coalesce((request).rerank_candidates, 4 * (request).top_k::bigint),
                      (request).top_k)
        when (request).mmr_lambda is not null then 100
        else 1 end;
    reach := (_places + block - 1) / block * block;
end
$$;

comment on function rag_internal.search_reach(rag_internal.search_request) is
    'block: how many passages are reranked, or ordered for variety, at a time, so that pages of '
    'one size are disjoint (4 top_k or rerank_candidates; 100). reach: the end of the block that '
    'the page ends in.';
alter function rag_internal.search_reach(rag_internal.search_request) owner to rag_owner;
revoke all on function rag_internal.search_reach(rag_internal.search_request) from public;
