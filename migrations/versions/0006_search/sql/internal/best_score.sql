-- How sure a search can be of what it found.
create or replace function rag_internal.best_score(hits rag.hit[]) returns double precision
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    -- scores of BM25 are no measure between questions: its words are there, or they are not
    select coalesce(max(h.rerank_score), max(h.semantic_score),
                    case when count(h.bm25_score) > 0 then 1 end, max(h.fuzzy_score), 0)
    from unnest(hits) h
$$;

comment on function rag_internal.best_score(rag.hit[]) is
    'The best rerank_score of the hits, else semantic_score, else 1 where words match, else '
    'fuzzy_score; 0 without hits.';
alter function rag_internal.best_score(rag.hit[]) owner to rag_owner;
revoke all on function rag_internal.best_score(rag.hit[]) from public;
