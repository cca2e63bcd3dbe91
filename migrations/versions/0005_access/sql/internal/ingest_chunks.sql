-- Stores a document that was cut, and perhaps embedded, elsewhere.
create or replace function rag_internal.ingest_chunks(
    who            name,
    ticket         bytea,
    collection     text,
    chunks         jsonb,
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
    _model rag_internal.model;
    _content text := ingest_chunks.content;
    _new rag_internal.document;
    _chunks rag_internal.prepared_chunk[];
begin
    perform rag_internal.check_embed(ingest_chunks.embed);
    if jsonb_typeof(chunks) is distinct from 'array' or jsonb_array_length(chunks) = 0 then
        raise exception using
            errcode = '22023',
            message = 'chunks is not a JSON array of objects, or is empty',
            hint    = 'For example: [{"content": "...", "embedding": [0.1, ...]}].';
    end if;
    _collection := rag_internal.collection_for_ingest(_identity, ingest_chunks.collection);
    select m.* into _model from rag_internal.model m where m.model_id = _collection.model_id;
    if _content is null then
        select string_agg(e ->> 'content', E'\n\n' order by n) into _content
        from jsonb_array_elements(chunks) with ordinality t (e, n)
        where jsonb_typeof(e) = 'object';
    end if;
    _chunks := rag_internal.given_chunks(chunks, coalesce(_content, ''), _model);
    _new := rag_internal.draft_document(
        _collection, _content, ingest_chunks.source, ingest_chunks.title, ingest_chunks.tags,
        ingest_chunks.metadata, ingest_chunks.readers, ingest_chunks.version,
        ingest_chunks.language, ingest_chunks.mime, ingest_chunks.valid_from,
        ingest_chunks.valid_until, ingest_chunks.security_level);
    -- the same chunks again are no change; a plain ingest of the text splits it anew
    _new.indexed_as := rag_internal.indexing_settings(_collection, _new)
        || jsonb_build_object('strategy', null,
                              'chunks', encode(sha256(convert_to(chunks::text, 'UTF8')), 'hex'));
    -- what is stored as it is asks no model; the vectors it has are known
    _chunks := rag_internal.embed_chunks(
        _chunks, _collection, _model,
        case when exists (select from rag_internal.document d
                          where d.collection_id = _new.collection_id and d.source = _new.source
                            and d.version = _new.version and d.content_hash = _new.content_hash
                            and d.indexed_as = _new.indexed_as)
             then 'later' else ingest_chunks.embed end);
    return rag_internal.store_document(_new, _collection, _chunks, ingest_chunks.embed,
                                       _identity);
end
$$;

comment on function rag_internal.ingest_chunks(name, bytea, text, jsonb, text, text, text, text[],
    jsonb, text[], text, text, text, timestamptz, timestamptz, text, integer) is
    'See rag.ingest_chunks.';
alter function rag_internal.ingest_chunks(name, bytea, text, jsonb, text, text, text, text[], jsonb,
    text[], text, text, text, timestamptz, timestamptz, text, integer) owner to rag_owner;
revoke all on function rag_internal.ingest_chunks(name, bytea, text, jsonb, text, text, text,
    text[], jsonb, text[], text, text, text, timestamptz, timestamptz, text, integer) from public;
grant execute on function rag_internal.ingest_chunks(name, bytea, text, jsonb, text, text, text,
    text[], jsonb, text[], text, text, text, timestamptz, timestamptz, text, integer) to rag_writer;
