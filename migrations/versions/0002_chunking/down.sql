-- Back to chunking by words and characters. Passages stay as they were cut; a collection whose
-- strategy the older engine does not know says so when a document is ingested.
drop function rag.chunk_quality(uuid, text);
drop function rag.predict_chunk_value(text, text[], text);
drop function rag.detect_document_type(text, text, text);
drop function rag.chunk_text(text, text, integer, integer, integer, text, text, text, text);
drop function rag.ingest(text, text, text, text, text[], jsonb, text[], text, text, text,
    timestamptz, timestamptz, text, integer, integer, integer);
drop function rag.create_collection(text, text, text[], text, integer, integer, integer, text,
    text, jsonb, real);
drop function rag.alter_collection(text, text, text, integer, integer, integer, text, text, jsonb,
    real);
drop function rag_internal.chunk_quality(name, bytea, uuid, text);
drop function rag_internal.predict_chunk_value(name, bytea, text, text[], text);
drop function rag_internal.detect_document_type(name, bytea, text, text, text);
drop function rag_internal.chunk_counts(text, integer[], integer[], text[], integer[], jsonb,
    rag_internal.model, text, text);
drop function rag_internal.passage_value(text, text[], text);
drop function rag_internal.document_type(text, text, text);
drop function rag_internal.front_matter(text, text, text, text);
drop function rag_internal.chunking_for_ingest(rag_internal.collection, text, integer, integer,
    integer);
drop function rag_internal.check_chunking(text, integer, integer, integer, boolean, real);
drop function rag_internal.chunk_text(name, bytea, text, text, integer, integer, integer, text,
    text, text, text);
drop function rag_internal.split_text(text, text, integer, integer, integer, rag_internal.model,
    text, text, text);
drop function rag_internal.ingest(name, bytea, text, text, text, text, text[], jsonb, text[],
    text, text, text, timestamptz, timestamptz, text, integer, integer, integer);
drop function rag_internal.make_collection(name, bytea, text, text, text[], text, integer,
    integer, integer, text, text, jsonb, real);
drop function rag_internal.create_collection(rag_internal.identity, text, text, text[], text,
    integer, integer, integer, text, text, jsonb, real);
drop function rag_internal.alter_collection(name, bytea, text, text, text, integer, integer,
    integer, text, text, jsonb, real);
drop function rag_internal.prepare_chunks(rag_internal.collection, rag_internal.document);
drop function rag_internal.indexing_settings(rag_internal.collection, rag_internal.document);
drop function rag.list_collections();
drop function rag.describe_collection(text);

drop type rag.chunking_quality;
drop type rag_internal.chunk_counts;
alter type rag.collection_info drop attribute min_value cascade;
alter table rag_internal.collection drop column min_value;
comment on column rag_internal.chunk.value is null;
comment on column rag_internal.chunk.kind is null;
comment on column rag_internal.chunk.section_start is null;
