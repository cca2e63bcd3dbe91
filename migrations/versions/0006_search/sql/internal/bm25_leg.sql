-- Best passages by BM25 over what the caller may see in the collections searched, in the engine:
-- hidden passages move no statistic.
create or replace function rag_internal.bm25_leg(
    query text,
    scope rag_internal.scope,
    depth bigint
) returns setof rag_internal.leg_hit
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
set datestyle = iso
set jit = off
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).bm25_leg(query, scope, depth)
$$;

comment on function rag_internal.bm25_leg(text, rag_internal.scope, bigint) is
    'At most depth passages by BM25: sum of idf * tf (k1 + 1) / (tf + k1 (1 - b + b length / '
    'average)), idf = ln((N - df + 0.5) / (df + 0.5) + 1), k1 = 1.2, b = 0.75 (Robertson, '
    'Zaragoza 2009, idf as in Lucene). A filter masks passages and moves no statistic. '
    'scope.collection_ids null: all.';
alter function rag_internal.bm25_leg(text, rag_internal.scope, bigint) owner to rag_owner;
revoke all on function rag_internal.bm25_leg(text, rag_internal.scope, bigint) from public;
