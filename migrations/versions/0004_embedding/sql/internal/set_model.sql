-- Searches go over to another model, whose vectors must all be there.
create or replace function rag_internal.set_model(
    who          name,
    ticket       bytea,
    collection   text,
    model        text,
    allow_failed boolean
) returns rag.collection_info
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
    _missing bigint;
    _failed bigint;
    _info rag.collection_info;
begin
    perform rag_internal.require_read_committed('rag.set_model');
    perform rag_internal.require_visible_text('model', set_model.model);
    _collection := rag_internal.own_collection(_identity, set_model.collection, true);
    if set_model.model <> 'none' then
        _model := rag_internal.usable_model(set_model.model);
    end if;
    if _model.model_id is distinct from _collection.model_id then
        select p.passages - p.embedded, p.failed into _missing, _failed
        from rag_internal.model_progress(_collection, _model.model_id) p
        where _model.model_id is not null;
        if _missing > (case when coalesce(allow_failed, false) then _failed else 0 end) then
            raise exception using
                errcode = '55000',
                message = format('%s passages of collection "%s" have no vector under model "%s"',
                                 _missing, _collection.name, _model.name),
                detail  = format('%s of them were given up.', _failed),
                hint    = case when _model.provider = 'external'
                               then 'rag.prepare_model(collection, model), and then '
                                    'rag.set_embeddings(document_id, embeddings, model) for each '
                                    'document.'
                               else 'rag.prepare_model(collection, model) queues them, call '
                                    'rag.run_jobs() or `ragsql worker` embeds them, '
                                    'rag.model_progress(collection) tells how far they are; '
                                    'allow_failed => true does without those that were given up.'
                          end;
        end if;
        insert into rag_internal.collection_model (collection_id, model_id)
        select _collection.collection_id, _collection.model_id
        where _collection.model_id is not null
        on conflict on constraint collection_model_pkey do nothing;
        delete from rag_internal.collection_model n
        where n.collection_id = _collection.collection_id and n.model_id = _model.model_id;
        update rag_internal.collection k
        set model_id = _model.model_id, updated_at = now()
        where k.collection_id = _collection.collection_id;
    end if;
    select i.* into _info from rag_internal.collection_info(_identity, array[_collection.name]) i;
    return _info;
end
$$;

comment on function rag_internal.set_model(name, bytea, text, text, boolean) is
    'See rag.set_model.';
alter function rag_internal.set_model(name, bytea, text, text, boolean) owner to rag_owner;
revoke all on function rag_internal.set_model(name, bytea, text, text, boolean) from public;
grant execute on function rag_internal.set_model(name, bytea, text, text, boolean) to rag_writer;
