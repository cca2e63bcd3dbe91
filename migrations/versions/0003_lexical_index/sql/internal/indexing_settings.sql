-- The settings of a collection that decide how a document's passages come out.
create or replace function rag_internal.indexing_settings(
    collection rag_internal.collection,
    document   rag_internal.document
) returns jsonb
language sql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
    select jsonb_build_object(
        'strategy', (collection).strategy,
        'chunk_size', (collection).chunk_size,
        'overlap', (collection).overlap,
        'min_chunk_size', (collection).min_chunk_size,
        'model', (select m.name || '@' || m.revision from rag_internal.model m
                  where m.model_id = (collection).model_id),
        'text_config', (document).text_config)
        || jsonb_strip_nulls(jsonb_build_object('min_value', (collection).min_value))
        -- what else decides how structure is read; the source is the same as long as the document
        || case when (collection).strategy in ('word', 'character', 'token', 'semantic') then '{}'
                else jsonb_build_object('language', (document).language, 'mime', (document).mime)
           end
$$;

comment on function rag_internal.indexing_settings(rag_internal.collection,
    rag_internal.document) is
    'rag_internal.document.indexed_as of what is ingested now.';
alter function rag_internal.indexing_settings(rag_internal.collection,
    rag_internal.document) owner to rag_owner;
revoke all on function rag_internal.indexing_settings(rag_internal.collection,
    rag_internal.document) from public;
