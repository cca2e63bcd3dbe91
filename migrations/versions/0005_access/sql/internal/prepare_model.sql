-- Begins to keep a collection's vectors under a further model, or asks for those that it lacks
-- under its own.
create or replace function rag_internal.prepare_model(
    who        name,
    ticket     bytea,
    collection text,
    model      text
) returns bigint
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
begin
    -- an older snapshot would miss documents that were ingested since
    perform rag_internal.require_read_committed('rag.prepare_model');
    _collection := rag_internal.own_collection(_identity, prepare_model.collection, true);
    if prepare_model.model is not null then
        _model := rag_internal.usable_model(prepare_model.model);
        insert into rag_internal.collection_model (collection_id, model_id)
        select _collection.collection_id, _model.model_id
        where _model.model_id is distinct from _collection.model_id
        on conflict on constraint collection_model_pkey do nothing;
        -- an ingest on an older snapshot, which would not know of this model, fails by it
        update rag_internal.collection k set updated_at = now()
        where k.collection_id = _collection.collection_id;
    end if;
    return rag_internal.queue_embeddings(_collection, null, _model.model_id, _identity);
end
$$;

comment on function rag_internal.prepare_model(name, bytea, text, text) is
    'See rag.prepare_model.';
alter function rag_internal.prepare_model(name, bytea, text, text) owner to rag_owner;
revoke all on function rag_internal.prepare_model(name, bytea, text, text) from public;
grant execute on function rag_internal.prepare_model(name, bytea, text, text) to rag_writer;
