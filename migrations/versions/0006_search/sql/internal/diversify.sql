-- Orders passages by relevance and by how little they repeat those before them.
create or replace function rag_internal.diversify(
    ranking rag_internal.leg_hit[],
    lambda  double precision,
    block   bigint,
    reach   bigint
) returns rag_internal.leg_hit[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _first bigint := 1;
    _block rag_internal.leg_hit[];
    _order integer[];
    _varied rag_internal.leg_hit[] := '{}';
begin
    -- each block by itself, so that the top 5 are the beginning of the top 10
    while _first <= least(reach, cardinality(ranking)) loop
        _block := ranking[_first : least(_first + block - 1, cardinality(ranking))];
        select rag_internal.marginal_relevance(
                   array_agg(p.score order by p.ordinality),
                   array_agg(c.content order by p.ordinality),
                   array_agg(e.v order by p.ordinality), lambda)
        into _order
        from unnest(_block) with ordinality p
        join rag_internal.chunk c using (document_id, chunk_index)
        join rag_internal.document d using (document_id)
        join rag_internal.collection k using (collection_id)
        left join lateral (
            select coalesce(@extschema:vector@.halfvec_send(e.v),
                            @extschema:vector@.vector_send(e.full_v)) as v
            from rag_internal.embedding e
            where e.model_id = k.model_id and e.chunk_id = c.chunk_id) e on true;
        _varied := _varied || array(
            select row(p.leg, _first - 1 + o.place, p.score, p.document_id, p.chunk_index,
                       p.corrected_query)::rag_internal.leg_hit
            from unnest(_order) with ordinality o (number, place)
            join unnest(_block) with ordinality p on p.ordinality = o.number
            order by o.place);
        _first := _first + block;
    end loop;
    return _varied || ranking[cardinality(_varied) + 1 :];
end
$$;

comment on function rag_internal.diversify(rag_internal.leg_hit[], double precision, bigint,
    bigint) is
    'The ranking up to reach, in blocks, each by maximal marginal relevance; then the rest.';
alter function rag_internal.diversify(rag_internal.leg_hit[], double precision, bigint, bigint)
    owner to rag_owner;
revoke all on function rag_internal.diversify(rag_internal.leg_hit[], double precision, bigint,
    bigint) from public;
