-- The models that the semantic leg of a search asks.
create or replace function rag_internal.semantic_models(
    scope        rag_internal.scope,
    query_vector @extschema:vector@.vector
) returns setof rag_internal.model
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _models rag_internal.model[];
    _model rag_internal.model;
    _collection_ids bigint[];
begin
    _models := array(
        select m from rag_internal.model m
        where m.model_id in (select k.model_id from rag_internal.collection k
                             where k.collection_id = any ((scope).collection_ids))
        order by m.name);
    if cardinality(_models) = 0 and cardinality((scope).collection_ids) > 0 then
        raise exception using
            errcode = '55000',
            message = 'no collection of this search has an embedding model',
            hint    = 'strategy => ''bm25'' or ''fuzzy'' needs none.';
    end if;
    if query_vector is not null then
        if cardinality(_models) > 1 then
            raise exception using
                errcode = '22023',
                message = format('query_vector is given, but the collections of this search have '
                                 'more than one model: %s',
                                 (select string_agg(m.name, ', ') from unnest(_models) m)),
                hint    = 'Name collections of the model that made the vector.';
        end if;
        perform rag_internal.check_vector(
            query_vector, _models[1],
            format('query_vector for %s',
                   (select string_agg(format('"%s"', k.name), ', ' order by k.name)
                    from rag_internal.collection k
                    where k.collection_id = any ((scope).collection_ids)
                      and k.model_id = _models[1].model_id)));
        return query select m.* from unnest(_models) m;
        return;
    end if;
    -- those without a passage that the caller could be shown are not asked
    foreach _model in array _models loop
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

comment on function rag_internal.semantic_models(rag_internal.scope, @extschema:vector@.vector) is
    'Models that collections in scope are searched by and have a passage under; with a query '
    'vector the one that it has to be of, else 22023. 55000 where no collection has a model.';
alter function rag_internal.semantic_models(rag_internal.scope,
    @extschema:vector@.vector) owner to rag_owner;
revoke all on function rag_internal.semantic_models(rag_internal.scope,
    @extschema:vector@.vector) from public;
