-- Maximal marginal relevance, in the engine.
create or replace function rag_internal.marginal_relevance(
    scores   double precision[],
    contents text[],
    vectors  bytea[],
    trade    double precision
) returns integer[]
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).marginal_relevance(scores, contents, vectors, trade)
$$;

comment on function rag_internal.marginal_relevance(double precision[], text[], bytea[],
    double precision) is
    'Numbers of the passages, from 1, in the order of maximal marginal relevance (Carbonell, '
    'Goldstein, SIGIR 1998): next is the one with the greatest trade x relevance - (1 - trade) x '
    'greatest similarity to those before it. Relevance: the scores, min-max. Similarity: cosine of '
    'two vectors, or the share of common words where one has no vector of the same length.';
alter function rag_internal.marginal_relevance(double precision[], text[], bytea[], double
    precision) owner to rag_owner;
revoke all on function rag_internal.marginal_relevance(double precision[], text[], bytea[], double
    precision) from public;
