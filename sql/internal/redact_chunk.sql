-- A passage as it is shown to a reader who may read its collection redacted only.
create or replace function rag_internal.redact_chunk(
    chunk     rag_internal.chunk,
    redaction rag_internal.redaction
) returns rag_internal.chunk
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _chunk rag_internal.chunk := chunk;
begin
    _chunk.content := rag_internal.withhold(
        (redaction).rules,
        rag_internal.redact_passage(redaction, chunk.content, chunk.start_offset));
    -- rag.ingest_chunks takes any
    _chunk.kind := rag_internal.withhold(
        (redaction).rules, rag_internal.redact_label(redaction, chunk.kind));
    _chunk.heading := rag_internal.redact_labels(redaction, chunk.heading, true);
    _chunk.metadata := rag_internal.redact_json(redaction, chunk.metadata);
    -- made of the original
    _chunk.embed_text := null;
    _chunk.tsv := null;
    return _chunk;
end
$$;

comment on function rag_internal.redact_chunk(rag_internal.chunk, rag_internal.redaction) is
    'The passage with all its texts redacted, and then checked once more; embed_text and tsv null.';
alter function rag_internal.redact_chunk(rag_internal.chunk,
    rag_internal.redaction) owner to rag_owner;
revoke all on function rag_internal.redact_chunk(rag_internal.chunk,
    rag_internal.redaction) from public;
