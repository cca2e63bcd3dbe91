-- Changes the settings of a collection: of what is ingested from now on, and of how it is searched.
create or replace function rag_internal.alter_collection(
    who             name,
    ticket          bytea,
    name            text,
    description     text,
    strategy        text,
    chunk_size      integer,
    overlap         integer,
    min_chunk_size  integer,
    model           text,
    text_config     text,
    search_defaults jsonb,
    min_value       real,
    title_weight    integer,
    heading_weight  integer
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
    _old rag_internal.collection := rag_internal.own_collection(
        _identity, alter_collection.name, true);
    _new rag_internal.collection := _old;
    _document rag_internal.document;
    _info rag.collection_info;
begin
    -- an older snapshot would miss documents that were ingested since
    perform rag_internal.require_read_committed('rag.alter_collection');
    _new.description := coalesce(alter_collection.description, _old.description);
    if alter_collection.strategy is not null then
        -- sizes of another strategy are in another unit
        _new.strategy := alter_collection.strategy;
        _new.chunk_size := null;
        _new.overlap := null;
        _new.min_chunk_size := null;
    end if;
    _new.chunk_size := coalesce(alter_collection.chunk_size, _new.chunk_size);
    _new.overlap := coalesce(alter_collection.overlap, _new.overlap);
    _new.min_chunk_size := coalesce(alter_collection.min_chunk_size, _new.min_chunk_size);
    _new.text_config := coalesce(
        rag_internal.canonical_text_config(alter_collection.text_config), _old.text_config);
    _new.search_defaults := coalesce(alter_collection.search_defaults, _old.search_defaults);
    if alter_collection.model = 'none' then
        _new.model_id := null;
    elsif alter_collection.model is not null then
        _new.model_id := (rag_internal.usable_model(alter_collection.model)).model_id;
    end if;
    if _new.model_id is distinct from _old.model_id
       and exists (select from rag_internal.document d
                   where d.collection_id = _old.collection_id) then
        raise exception using
            errcode = '55000',
            message = format('collection "%s" has documents embedded with another model',
                             _old.name),
            hint    = 'Make a collection with the new model and ingest the documents there.';
    end if;
    _new.min_value := coalesce(alter_collection.min_value, _old.min_value);
    _new.strategy := rag_internal.check_chunking(
        _new.strategy, _new.chunk_size, _new.overlap, _new.min_chunk_size,
        _new.model_id is not null, _new.min_value);
    perform rag_internal.check_search_defaults(_new.search_defaults);
    perform rag_internal.check_text_weights(alter_collection.title_weight,
                                            alter_collection.heading_weight);
    _new.title_weight := coalesce(alter_collection.title_weight, _old.title_weight);
    _new.heading_weight := coalesce(alter_collection.heading_weight, _old.heading_weight);
    if _new.text_config <> _old.text_config then
        _new.analyzed_as := rag_internal.analyzer_stamp(_new.text_config);
    end if;

    update rag_internal.collection k
    set description = _new.description, strategy = _new.strategy, chunk_size = _new.chunk_size,
        overlap = _new.overlap, min_chunk_size = _new.min_chunk_size, model_id = _new.model_id,
        text_config = _new.text_config, search_defaults = _new.search_defaults,
        min_value = _new.min_value, title_weight = _new.title_weight,
        heading_weight = _new.heading_weight, analyzed_as = _new.analyzed_as, updated_at = now()
    where k.collection_id = _old.collection_id;
    if (_new.text_config, _new.title_weight, _new.heading_weight)
       <> (_old.text_config, _old.title_weight, _old.heading_weight) then
        for _document in
            select d.* from rag_internal.document d where d.collection_id = _old.collection_id
        loop
            perform rag_internal.reindex_document(_document, _new);
        end loop;
    end if;
    select i.* into _info from rag_internal.collection_info(_identity, array[_old.name]) i;
    return _info;
end
$$;

comment on function rag_internal.alter_collection(name, bytea, text, text, text, integer, integer,
    integer, text, text, jsonb, real, integer, integer) is
    'See rag.alter_collection.';
alter function rag_internal.alter_collection(name, bytea, text, text, text, integer, integer,
    integer, text, text, jsonb, real, integer, integer) owner to rag_owner;
revoke all on function rag_internal.alter_collection(name, bytea, text, text, text, integer,
    integer, integer, text, text, jsonb, real, integer, integer) from public;
grant execute on function rag_internal.alter_collection(name, bytea, text, text, text, integer,
    integer, integer, text, text, jsonb, real, integer, integer) to rag_writer;
