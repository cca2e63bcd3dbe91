-- Why each hit of a search is one: a row for each leg that has it.
create or replace function rag_internal.explain_hits(result rag_internal.retrieval)
returns setof rag.search_step
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _request rag_internal.search_request := (result).request;
    _scope rag_internal.scope := rag_internal.search_scope((result).identity, _request);
    _query text := coalesce((select max(h.corrected_query) from unnest((result).hits) h
                             where _request.correct_typos), _request.query);
begin
    return query
        select 'hit', l.leg, null::text, null::bigint, null::double precision, h.rank, l.score,
               case when l.leg <> 'rerank' then coalesce(p.score / nullif(p.total, 0), 1) end,
               h.document_id, h.chunk_index,
               case when l.leg = 'bm25'
                    then (select jsonb_build_object('leg_rank', l.rank, 'terms',
                                                    jsonb_agg(to_jsonb(t)))
                          from rag_internal.bm25_terms(_query, _scope, h.document_id,
                                                       h.chunk_index) t)
                    else jsonb_strip_nulls(jsonb_build_object(
                             'leg_rank', l.rank,
                             'corrected_query',
                             case when l.leg = 'fuzzy' then h.corrected_query end)) end
        from unnest((result).hits) h
        join lateral (
            select u.* from unnest((result).leg_hits) u
            where u.document_id = h.document_id and u.chunk_index = h.chunk_index) l on true
        left join (
            select c.leg, c.document_id, c.chunk_index, c.score,
                   sum(c.score) over (partition by c.document_id, c.chunk_index) as total
            from rag_internal.contributions(
                     (result).leg_hits, _request, (result).depth) c) p
            on _request.strategy = 'hybrid' and p.leg = l.leg and p.document_id = h.document_id
               and p.chunk_index = h.chunk_index
        order by h.rank, l.leg <> 'semantic', l.leg;
end
$$;

comment on function rag_internal.explain_hits(rag_internal.retrieval) is
    'Rows of rag.search_step with step hit: the rank of the hit, and of each leg its own rank '
    '(detail), raw score and share of the fused score. Of BM25 the terms, as rag.explain_bm25 '
    'tells them; of the fuzzy leg what it looked for.';
alter function rag_internal.explain_hits(rag_internal.retrieval) owner to rag_owner;
revoke all on function rag_internal.explain_hits(rag_internal.retrieval) from public;
