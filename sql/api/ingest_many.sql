-- Puts several documents in, all or none.
create or replace function rag.ingest_many(
    collection text,
    documents  jsonb,
    embed      text default 'now'
)
returns setof rag.ingested
language sql volatile parallel unsafe
begin atomic
    select i.*
    from rag_internal.caller c,
         lateral rag_internal.ingest_many(c.who, c.ticket, ingest_many.collection,
                                          ingest_many.documents, ingest_many.embed) i;
end;

comment on function rag.ingest_many(text, jsonb, text) is
    'Stores a JSON array of documents, a row for each in its order. Keys are the arguments of '
    'rag.ingest: content, source, title, tags, metadata, readers, version, language, mime, '
    'valid_from, valid_until, strategy, chunk_size, overlap, min_chunk_size. One bad document '
    'refuses all. embed as in rag.ingest, with one job for all of them.';
alter function rag.ingest_many(text, jsonb, text) owner to rag_owner;
revoke all on function rag.ingest_many(text, jsonb, text) from public;
grant execute on function rag.ingest_many(text, jsonb, text) to rag_writer;
