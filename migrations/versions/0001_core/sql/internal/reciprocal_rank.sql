-- What one ranking adds to an item's fused score.
create or replace function rag_internal.reciprocal_rank(
    weight double precision,
    rrf_k  integer,
    rank   bigint
) returns double precision
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select weight / (rrf_k::double precision + rank)
$$;

comment on function rag_internal.reciprocal_rank(double precision, integer, bigint) is
    'weight / (k + rank), ranks from 1 (Cormack, Clarke, Buettcher: Reciprocal Rank Fusion, SIGIR '
    '2009).';
alter function rag_internal.reciprocal_rank(double precision, integer, bigint) owner to rag_owner;
revoke all on function rag_internal.reciprocal_rank(double precision, integer, bigint) from public;
grant execute on function rag_internal.reciprocal_rank(double precision, integer,
    bigint) to rag_reader;
