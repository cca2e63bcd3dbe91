-- The models that the semantic leg of a search asks, among those under which the caller can see a
-- passage: by the vector that was given the one of its dimensions, by the words all whose vectors
-- are ours to make. The others are left out; who shares a collection of such a model must not end
-- the searches of others.
create or replace function rag_internal.semantic_models(
    scope        rag_internal.scope,
    collections  bigint[],
    has_words    boolean,
    query_vector @extschema:vector@.vector,
    out asked    rag_internal.model[],
    out unasked  text[]
)
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _present rag_internal.model[];
    _fitting rag_internal.model[];
begin
    _present := array(
        select m from rag_internal.model m
        where m.model_id = any ((select rag_internal.seen_models(scope))::integer[])
        order by m.name);
    if cardinality(_present) = 0
       and not exists (select from rag_internal.collection k join rag_internal.model m
                         using (model_id)
                       where k.collection_id = any (collections))
       and cardinality(collections) > 0 then
        raise exception using
            errcode = '55000',
            message = 'no collection of this search has an embedding model',
            hint    = 'strategy => ''bm25'' or ''fuzzy'' needs none.';
    end if;

    _fitting := array(
        select m from unnest(_present) m
        where m.dimensions = @extschema:vector@.vector_dims(query_vector)
           or cardinality(_present) = 1);
    if query_vector is not null and cardinality(_present) > 0 and cardinality(_fitting) <> 1 then
        raise exception using
            errcode = '22023',
            message = format('query_vector has %s dimensions, but models of this search have: %s',
                             @extschema:vector@.vector_dims(query_vector),
                             (select string_agg(format('%s %s', m.name, m.dimensions), ', ')
                              from unnest(_present) m)),
            hint    = 'Name collections of the model that made the vector.';
    elsif query_vector is not null and cardinality(_present) > 0 then
        perform rag_internal.check_vector(
            query_vector, _fitting[1],
            format('query_vector for %s',
                   (select string_agg(format('"%s"', k.name), ', ' order by k.name)
                    from rag_internal.collection k
                    where k.collection_id = any (collections)
                      and k.model_id = _fitting[1].model_id)));
    end if;

    asked := array(
        select m from unnest(_present) m
        where m.dimensions = @extschema:vector@.vector_dims(query_vector)
           or (has_words and m.provider <> 'external'));
    unasked := array(
        select m.name from unnest(_present) m
        where m.name <> all (array(select a.name from unnest(asked) a)));
    if cardinality(asked) = 0 and cardinality(unasked) > 0 then
        raise exception using
            errcode = '55000',
            message = format('the vectors of model "%s" come with the calls, and so must that of '
                             'the query', unasked[1]),
            hint    = 'Give query_vector, or leave the semantic leg out: strategy => ''bm25''.';
    end if;
end
$$;

comment on function rag_internal.semantic_models(rag_internal.scope, bigint[], boolean,
    @extschema:vector@.vector) is
    'Models that a search of these collections, those of the scope, asks, and the names of those '
    'that it cannot ask. 22023 for a query '
    'vector that is of none or of several, 55000 where no model can be asked.';
alter function rag_internal.semantic_models(rag_internal.scope, bigint[], boolean,
    @extschema:vector@.vector) owner to rag_owner;
revoke all on function rag_internal.semantic_models(rag_internal.scope, bigint[], boolean,
    @extschema:vector@.vector) from public;
