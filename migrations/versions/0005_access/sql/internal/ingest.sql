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
    min_chunk_size integer,
    embed          text,
    security_level integer
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
    _front jsonb := '{}';
begin
    perform rag_internal.require_visible_text('content', ingest.content);
    perform rag_internal.check_embed(ingest.embed);
    _collection := rag_internal.chunking_for_ingest(
        rag_internal.collection_for_ingest(_identity, ingest.collection), ingest.strategy,
        ingest.chunk_size, ingest.overlap, ingest.min_chunk_size);
    if left(ingest.content, 4) ~ E'^\ufeff?---' then
        _front := rag_internal.front_matter(
            ingest.content, _collection.strategy, ingest.source,
            coalesce(ingest.mime, 'text/plain'));
    end if;
    _new := rag_internal.draft_document(
        _collection, ingest.content, ingest.source,
        coalesce(ingest.title, nullif(_front ->> 'title', '')),
        coalesce(nullif(ingest.tags, '{}'), array(
            select t.value
            from jsonb_array_elements_text(case when jsonb_typeof(_front -> 'tags') = 'array'
                                                then _front -> 'tags' else '[]' end) t (value)
            where t.value is not null)),
        case when jsonb_typeof(ingest.metadata) <> 'object' then ingest.metadata
             else _front || coalesce(ingest.metadata, '{}') end,
        ingest.readers, ingest.version, ingest.language, ingest.mime, ingest.valid_from,
        ingest.valid_until, ingest.security_level);
    _new.indexed_as := rag_internal.indexing_settings(_collection, _new);
    return rag_internal.store_document(_new, _collection, null, ingest.embed, _identity);
end
$$;

comment on function rag_internal.ingest(name, bytea, text, text, text, text, text[], jsonb, text[],
    text, text, text, timestamptz, timestamptz, text, integer, integer, integer, text, integer) is
    'See rag.ingest.';
alter function rag_internal.ingest(name, bytea, text, text, text, text, text[], jsonb, text[], text,
    text, text, timestamptz, timestamptz, text, integer, integer, integer, text,
    integer) owner to rag_owner;
revoke all on function rag_internal.ingest(name, bytea, text, text, text, text, text[], jsonb,
    text[], text, text, text, timestamptz, timestamptz, text, integer, integer, integer, text,
    integer) from public;
grant execute on function rag_internal.ingest(name, bytea, text, text, text, text, text[], jsonb,
    text[], text, text, text, timestamptz, timestamptz, text, integer, integer, integer, text,
    integer) to rag_writer;
