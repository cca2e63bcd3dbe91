-- The ranking of each stage of a search, for rag.evaluate.
create or replace function rag_internal.search_stages(
    identity rag_internal.identity,
    request  rag_internal.search_request
) returns setof rag_internal.stage_hit
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _result rag_internal.retrieval := rag_internal.retrieve(identity, request);
    _request rag_internal.search_request := _result.request;
    _legs rag_internal.leg_hit[] := array(
        select h from unnest(_result.leg_hits) h where h.leg <> 'rerank');
    _depth bigint := rag_internal.leg_depth(greatest(
        (select max(h.rank) from unnest(_legs) h), rag_internal.first_depth(_request, 1)));
begin
    return query
        select case when h.leg = 'rerank' or _request.strategy = 'hybrid' then h.leg
                    else 'recall' end,
               row_number() over (partition by h.leg
                                  order by case h.leg when 'rerank' then -h.score end, h.rank),
               h.document_id, h.chunk_index
        from unnest(_result.leg_hits) h;
    return query
        select 'result', h.rank::bigint, h.document_id, h.chunk_index from unnest(_result.hits) h;
    if _request.strategy <> 'hybrid' then
        return;
    elsif _request.rerank is null and _request.mmr_lambda is null then
        return query
            select 'fusion', h.rank::bigint, h.document_id, h.chunk_index
            from unnest(_result.hits) h;
    else
        return query
            select 'fusion', h.rank::bigint, h.document_id, h.chunk_index
            from unnest(rag_internal.choose_candidates(
                     rag_internal.fuse(_legs, _request, _depth), _request)) h
            where h.rank <= _request.top_k;
    end if;
end
$$;

comment on function rag_internal.search_stages(rag_internal.identity,
    rag_internal.search_request) is
    'Of a hybrid each leg by its name and fusion; of a single leg recall; rerank, all that was '
    'read; result, what a search would return.';
alter function rag_internal.search_stages(rag_internal.identity, rag_internal.search_request) owner
    to rag_owner;
revoke all on function rag_internal.search_stages(rag_internal.identity,
    rag_internal.search_request) from public;
