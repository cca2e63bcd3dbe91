-- Stores a document whole: text, passages, lexemes, words and vectors, or nothing of it.
-- Embedding, which is slow, comes before the first row is written, so that locks are short.
create or replace function rag_internal.ingest(
    who            name,
    ticket         bytea,
    collection     text,
    content        text,
    source         text,
    title          text,
    tags           text[],
    metadata       jsonb,
    readers        text[],
    version        text,
    language       text,
    mime           text,
    valid_from     timestamptz,
    valid_until    timestamptz,
    strategy       text,
    chunk_size     integer,
    overlap        integer,
    min_chunk_size integer
) returns rag.ingested
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
    _new rag_internal.document;
    _old rag_internal.document;
    _front jsonb := '{}';
    _chunks rag_internal.prepared_chunk[];
    _count integer := 0;
begin
    perform rag_internal.require_visible_text('content', ingest.content);
    _collection := rag_internal.chunking_for_ingest(
        rag_internal.collection_for_ingest(_identity, ingest.collection), ingest.strategy,
        ingest.chunk_size, ingest.overlap, ingest.min_chunk_size);

    _new.collection_id := _collection.collection_id;
    _new.content := ingest.content;
    _new.content_hash := sha256(convert_to(ingest.content, 'UTF8'));
    _new.source := coalesce(nullif(ingest.source, ''), encode(_new.content_hash, 'hex'));
    _new.version := coalesce(ingest.version, '');
    _new.language := ingest.language;
    _new.mime := coalesce(ingest.mime, 'text/plain');
    if left(_new.content, 4) ~ E'^\ufeff?---' then
        _front := rag_internal.front_matter(_new.content, _collection.strategy, _new.source,
                                            _new.mime);
    end if;
    _new.title := coalesce(ingest.title, nullif(_front ->> 'title', ''));
    _new.tags := coalesce(nullif(ingest.tags, '{}'), array(
        select t.value
        from jsonb_array_elements_text(case when jsonb_typeof(_front -> 'tags') = 'array'
                                            then _front -> 'tags' else '[]' end) t (value)
        where t.value is not null));
    _new.metadata := coalesce(ingest.metadata, '{}');
    if jsonb_typeof(_new.metadata) = 'object' then
        _new.metadata := _front || _new.metadata;
    end if;
    _new.status := 'active';
    _new.valid_from := ingest.valid_from;
    _new.valid_until := ingest.valid_until;
    perform rag_internal.check_document(_new);
    _new.text_config := rag_internal.text_config_for(_new.language, _collection.text_config);
    _new.indexed_as := rag_internal.indexing_settings(_collection, _new);
    if ingest.readers is not null then
        _new.acl_id := rag_internal.intern_readers(
            array(select rag_internal.principal_for(r) from unnest(ingest.readers) r));
    end if;

    select d.* into _old from rag_internal.document d
    where d.collection_id = _new.collection_id and d.source = _new.source
      and d.version = _new.version;
    if _old.content_hash is distinct from _new.content_hash
       or _old.indexed_as is distinct from _new.indexed_as then
        _chunks := rag_internal.prepare_chunks(_collection, _new);
    end if;

    if _old.document_id is null then
        _new.document_id := gen_random_uuid();
        _new.acl_id := coalesce(_new.acl_id, _collection.acl_id);
        _new.created_at := now();
        _new.updated_at := now();
        _new.attributes := rag_internal.attributes(_new);
        insert into rag_internal.document select (_new).*
        on conflict on constraint document_key do nothing;
        if found then
            _count := rag_internal.write_chunks(_new, _collection, _chunks);
            return rag_internal.ingested(_new, 'created', _count);
        end if;
    end if;
    return rag_internal.replace_document(_new, _collection, _chunks);
end
$$;

comment on function rag_internal.ingest(name, bytea, text, text, text, text, text[], jsonb, text[],
    text, text, text, timestamptz, timestamptz, text, integer, integer, integer) is
    'See rag.ingest.';
alter function rag_internal.ingest(name, bytea, text, text, text, text, text[], jsonb, text[], text,
    text, text, timestamptz, timestamptz, text, integer, integer, integer) owner to rag_owner;
revoke all on function rag_internal.ingest(name, bytea, text, text, text, text, text[], jsonb,
    text[], text, text, text, timestamptz, timestamptz, text, integer, integer,
    integer) from public;
grant execute on function rag_internal.ingest(name, bytea, text, text, text, text, text[], jsonb,
    text[], text, text, text, timestamptz, timestamptz, text, integer, integer,
    integer) to rag_writer;
