-- Orders passages by relevance and by how little they repeat those before them.
create or replace function rag_internal.diversify(
    ranking rag_internal.leg_hit[],
    lambda  double precision,
    places  bigint
) returns rag_internal.leg_hit[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    -- of a fixed size for all pages in it, so that the top 5 are the beginning of the top 10
    _pool rag_internal.leg_hit[] := ranking[: least(rag_internal.leg_depth(places), 1000)];
    _order integer[];
begin
    select rag_internal.marginal_relevance(
               array_agg(p.score order by p.rank),
               array_agg(c.content order by p.rank),
               array_agg(e.v order by p.rank), lambda)
    into _order
    from unnest(_pool) p
    join rag_internal.chunk c using (document_id, chunk_index)
    join rag_internal.document d using (document_id)
    join rag_internal.collection k using (collection_id)
    left join lateral (
        select coalesce(@extschema:vector@.halfvec_send(e.v),
                        @extschema:vector@.vector_send(e.full_v)) as v
        from rag_internal.embedding e
        where e.model_id = k.model_id and e.chunk_id = c.chunk_id) e on true;
    return array(
               select row(p.leg, o.place, p.score, p.document_id, p.chunk_index,
                          p.corrected_query)::rag_internal.leg_hit
               from unnest(_order) with ordinality o (number, place)
               join unnest(_pool) with ordinality p on p.ordinality = o.number
               order by o.place)
        || ranking[cardinality(_pool) + 1 :];
end
$$;

comment on function rag_internal.diversify(rag_internal.leg_hit[], double precision, bigint) is
    'The first passages of the ranking (100, or as many as a deeper tier has, 1,000 at most) by '
    'maximal marginal relevance, then the rest.';
alter function rag_internal.diversify(rag_internal.leg_hit[], double precision, bigint) owner to
    rag_owner;
revoke all on function rag_internal.diversify(rag_internal.leg_hit[], double precision, bigint) from
    public;
