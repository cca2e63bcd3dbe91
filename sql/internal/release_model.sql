-- Ends keeping a collection's vectors under a model that it is not searched by.
create or replace function rag_internal.release_model(
    who        name,
    ticket     bytea,
    collection text,
    model      text
) returns boolean
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection rag_internal.collection;
    _model rag_internal.model;
    _job_ids bigint[];
begin
    perform rag_internal.require_visible_text('model', release_model.model);
    _collection := rag_internal.own_collection(_identity, release_model.collection, true);
    _model := rag_internal.find_model(release_model.model);
    if _model.model_id = _collection.model_id then
        raise exception using
            errcode = '55000',
            message = format('collection "%s" is searched by model "%s"', _collection.name,
                             _model.name),
            hint    = 'rag.set_model(collection, ...) chooses another one first.';
    end if;
    delete from rag_internal.collection_model n
    where n.collection_id = _collection.collection_id and n.model_id = _model.model_id;
    if not found then
        return false;
    end if;
    -- an ingest on an older snapshot, which would still know of this model, fails by it
    update rag_internal.collection k set updated_at = now()
    where k.collection_id = _collection.collection_id;
    with dropped as (
        delete from rag_internal.embedding_task t
        where t.model_id = _model.model_id and t.collection_id = _collection.collection_id
        returning t.job_id
    ), released as (
        update rag_internal.job j set total = j.total - s.passages
        from (select d.job_id, count(*) as passages from dropped d group by d.job_id) s
        where j.job_id = s.job_id
    )
    select array_agg(distinct d.job_id) into _job_ids from dropped d;
    perform rag_internal.finish_jobs(_job_ids);
    delete from rag_internal.embedding e
    where e.model_id = _model.model_id and e.collection_id = _collection.collection_id;
    return true;
end
$$;

comment on function rag_internal.release_model(name, bytea, text, text) is
    'See rag.release_model.';
alter function rag_internal.release_model(name, bytea, text, text) owner to rag_owner;
revoke all on function rag_internal.release_model(name, bytea, text, text) from public;
grant execute on function rag_internal.release_model(name, bytea, text, text) to rag_writer;
