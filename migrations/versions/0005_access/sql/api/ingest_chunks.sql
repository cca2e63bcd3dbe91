-- Puts a document in that was cut, and perhaps embedded, elsewhere.
create or replace function rag.ingest_chunks(
    collection     text,
    chunks         jsonb,
    content        text        default null,
    source         text        default null,
    title          text        default null,
    tags           text[]      default '{}',
    metadata       jsonb       default '{}',
    readers        text[]      default null,
    version        text        default '',
    language       text        default null,
    mime           text        default 'text/plain',
    valid_from     timestamptz default null,
    valid_until    timestamptz default null,
    embed          text        default 'now',
    security_level integer     default null
) returns rag.ingested
language sql volatile parallel unsafe
begin atomic
    select rag_internal.ingest_chunks(
        c.who, c.ticket, ingest_chunks.collection, ingest_chunks.chunks, ingest_chunks.content,
        ingest_chunks.source, ingest_chunks.title, ingest_chunks.tags, ingest_chunks.metadata,
        ingest_chunks.readers, ingest_chunks.version, ingest_chunks.language, ingest_chunks.mime,
        ingest_chunks.valid_from, ingest_chunks.valid_until, ingest_chunks.embed,
        ingest_chunks.security_level)
    from rag_internal.caller c;
end;

comment on function rag.ingest_chunks(text, jsonb, text, text, text, text[], jsonb, text[], text,
    text, text, timestamptz, timestamptz, text, integer) is
    'Like rag.ingest, with passages as they are given: a JSON array of objects with content and, '
    'each optional, embedding (an array of numbers, of the model''s dimensions; scaled to length '
    '1), embed_text, heading (an array), kind. Chunks stand in content in this order, character '
    'for character; content null: they are joined by blank lines. Where no vector is given the '
    'model makes it; vectors of a model of the provider external come this way or through '
    'rag.set_embeddings.';
alter function rag.ingest_chunks(text, jsonb, text, text, text, text[], jsonb, text[], text, text,
    text, timestamptz, timestamptz, text, integer) owner to rag_owner;
revoke all on function rag.ingest_chunks(text, jsonb, text, text, text, text[], jsonb, text[], text,
    text, text, timestamptz, timestamptz, text, integer) from public;
grant execute on function rag.ingest_chunks(text, jsonb, text, text, text, text[], jsonb, text[],
    text, text, text, timestamptz, timestamptz, text, integer) to rag_writer;
