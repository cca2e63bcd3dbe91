-- The models that the semantic leg of a search asks: by the vector that was given the one of its
-- dimensions, by the words all whose vectors are ours to make. The others are left out; somebody
-- who shares a collection of such a model must not end the searches of others.
create or replace function rag_internal.semantic_models(
    scope        rag_internal.scope,
    unasked      text[],
    query_vector @extschema:vector@.vector
) returns setof rag_internal.model
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _models rag_internal.model[];
    _fitting rag_internal.model[];
    _model rag_internal.model;
    _collection_ids bigint[];
begin
    _models := array(
        select m from rag_internal.model m
        where m.model_id in (select k.model_id from rag_internal.collection k
                             where k.collection_id = any ((scope).collection_ids))
        order by m.name);
    _fitting := array(
        select m from unnest(_models) m
        where m.dimensions = @extschema:vector@.vector_dims(query_vector)
           or cardinality(_models) = 1);
    if query_vector is not null and cardinality(_models) > 0 and cardinality(_fitting) <> 1 then
        raise exception using
            errcode = '22023',
            message = format('query_vector has %s dimensions, but models of this search have: %s',
                             @extschema:vector@.vector_dims(query_vector),
                             (select string_agg(format('%s %s', m.name, m.dimensions), ', ')
                              from unnest(_models) m)),
            hint    = 'Name collections of the model that made the vector.';
    elsif query_vector is not null and cardinality(_models) > 0 then
        perform rag_internal.check_vector(
            query_vector, _fitting[1],
            format('query_vector for %s',
                   (select string_agg(format('"%s"', k.name), ', ' order by k.name)
                    from rag_internal.collection k
                    where k.collection_id = any ((scope).collection_ids)
                      and k.model_id = _fitting[1].model_id)));
    elsif cardinality(_models) = 0 and cardinality((scope).collection_ids) > 0 then
        raise exception using
            errcode = '55000',
            message = 'no collection of this search has an embedding model',
            hint    = 'strategy => ''bm25'' or ''fuzzy'' needs none.';
    end if;
    if cardinality(_models) > 0 and cardinality(_models) = cardinality(unasked) then
        raise exception using
            errcode = '55000',
            message = format('the vectors of model "%s" come with the calls, and so must that of '
                             'the query', unasked[1]),
            hint    = 'Give query_vector, or leave the semantic leg out: strategy => ''bm25''.';
    end if;
    -- those without a passage that the caller could be shown are not asked; one by one, for all at
    -- once are joined by reading every vector
    foreach _model in array _models loop
        continue when _model.name = any (unasked);
        _collection_ids := array(
            select k.collection_id from rag_internal.collection k
            where k.collection_id = any ((scope).collection_ids) and k.model_id = _model.model_id);
        if exists (select from rag_internal.embedding e
                   where e.model_id = _model.model_id and e.acl_id = any ((scope).acl_ids)
                     and e.collection_id = any (_collection_ids)) then
            return next _model;
        end if;
    end loop;
end
$$;

comment on function rag_internal.semantic_models(rag_internal.scope, text[],
    @extschema:vector@.vector) is
    'Models that collections in scope are searched by and have a passage under, but for those '
    'unasked. 22023 for a query vector that is of none or of several, 55000 where no model can be '
    'asked.';
alter function rag_internal.semantic_models(rag_internal.scope, text[],
    @extschema:vector@.vector) owner to rag_owner;
revoke all on function rag_internal.semantic_models(rag_internal.scope, text[],
    @extschema:vector@.vector) from public;
