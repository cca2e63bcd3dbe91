-- The settings of a collection that decide how a document's passages come out.
create or replace function rag_internal.indexing_settings(collection rag_internal.collection)
returns jsonb
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
        'text_config', (collection).text_config)
$$;

comment on function rag_internal.indexing_settings(rag_internal.collection) is
    'rag_internal.document.indexed_as of what is ingested now.';
alter function rag_internal.indexing_settings(rag_internal.collection) owner to rag_owner;
revoke all on function rag_internal.indexing_settings(rag_internal.collection) from public;
