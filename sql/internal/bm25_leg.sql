-- Best passages by BM25 over what the caller may see in the collections searched:
-- hidden passages move no statistic. Statistics are kept apart per text configuration,
-- whose lexemes do not compare.
create or replace function rag_internal.bm25_leg(query text, scope rag_internal.scope, cut bigint)
returns setof rag_internal.leg_hit
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
    _k1 constant double precision := 1.2;
    _b constant double precision := 0.75;
    _acl_ids bigint[] := (scope).acl_ids;
    _collection_ids bigint[] := (scope).collection_ids;
    _filter jsonb := (scope).filter;
    _filter_path jsonpath := (scope).filter_path;
    _vars jsonb := (scope).vars;
begin
    return query
    with question as materialized (
        select k.text_config, a.lexemes, rag_internal.any_of(a.lexemes) as any_lexeme
        from (select distinct k.text_config from rag_internal.collection k
              where k.collection_id = any (_collection_ids)) k
        cross join lateral (
            select tsvector_to_array(rag.analyze(query, k.text_config)) as lexemes) a
    ), corpus as materialized (
        select c.text_config, count(*)::double precision as n,
               sum(c.lexeme_count)::double precision / count(*) as average_length
        from rag_internal.live_chunk c
        where c.acl_id = any (_acl_ids) and c.collection_id = any (_collection_ids)
        group by c.text_config
    ), posting as materialized (
        select c.chunk_id, c.document_id, c.chunk_index, c.text_config, c.lexeme_count, l.lexeme,
               cardinality(l.positions)::double precision as tf,
               (_filter is null or c.attributes @> _filter)
               and (_filter_path is null
                    -- in this order: a path can fail, or take long, on a row that is hidden
                    or case when c.acl_id = any (_acl_ids)
                                 and c.collection_id = any (_collection_ids)
                            then coalesce(jsonb_path_match(c.attributes, _filter_path, _vars, true),
                                          false) end) as passes
        from question q
        join rag_internal.live_chunk c
            on c.text_config = q.text_config and c.tsv @@ q.any_lexeme
        cross join lateral unnest(c.tsv) l
        where c.acl_id = any (_acl_ids) and c.collection_id = any (_collection_ids)
          and l.lexeme = any (q.lexemes)
    ), term as materialized (
        select p.text_config, p.lexeme, ln((s.n - count(*) + 0.5) / (count(*) + 0.5) + 1) as idf
        from posting p join corpus s using (text_config)
        group by p.text_config, p.lexeme, s.n
    ), scored as (
        select p.chunk_id, p.document_id, p.chunk_index,
               sum(t.idf * p.tf * (_k1 + 1)
                   / (p.tf + _k1 * (1 - _b + _b * p.lexeme_count / s.average_length))
                   order by t.idf desc, p.lexeme collate "C") as score
        from posting p join term t using (text_config, lexeme) join corpus s using (text_config)
        where p.passes
        group by p.chunk_id, p.document_id, p.chunk_index
    )
    select 'bm25',
           (row_number() over (order by s.score desc, s.document_id, s.chunk_index))::integer,
           s.score, s.chunk_id, s.document_id, s.chunk_index
    from scored s
    order by 2
    limit cut;
end
$$;

comment on function rag_internal.bm25_leg(text, rag_internal.scope, bigint) is
    'At most cut passages by BM25: sum of idf * tf (k1 + 1) / (tf + k1 (1 - b + b length / '
    'average)), idf = ln((N - df + 0.5) / (df + 0.5) + 1), k1 = 1.2, b = 0.75 (Robertson, Zaragoza '
    '2009, idf as in Lucene). A filter masks passages and moves no statistic.';
alter function rag_internal.bm25_leg(text, rag_internal.scope, bigint) owner to rag_owner;
revoke all on function rag_internal.bm25_leg(text, rag_internal.scope, bigint) from public;
