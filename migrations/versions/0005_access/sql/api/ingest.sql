-- Puts a document in: split, embedded and indexed in the caller's transaction.
create or replace function rag.ingest(
    collection     text,
    content        text,
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
    strategy       text        default null,
    chunk_size     integer     default null,
    overlap        integer     default null,
    min_chunk_size integer     default null,
    embed          text        default 'now',
    security_level integer     default null
) returns rag.ingested
language sql volatile parallel unsafe
begin atomic
    select rag_internal.ingest(c.who, c.ticket, ingest.collection, ingest.content, ingest.source,
                               ingest.title, ingest.tags, ingest.metadata, ingest.readers,
                               ingest.version, ingest.language, ingest.mime, ingest.valid_from,
                               ingest.valid_until, ingest.strategy, ingest.chunk_size,
                               ingest.overlap, ingest.min_chunk_size, ingest.embed,
                               ingest.security_level)
    from rag_internal.caller c;
end;

comment on function rag.ingest(text, text, text, text, text[], jsonb, text[], text, text, text,
    timestamptz, timestamptz, text, integer, integer, integer, text, integer) is
    'Stores a document, in place of the one with the same collection, source and version: '
    'created, updated or unchanged. A missing collection is made; a null source becomes the '
    'content hash; readers are role:NAME, user:NAME, group:NAME or public, null the '
    'collection''s; security_level null likewise. Of a stored document the status stays, and so do '
    'readers with level and validity that are null here. Strategy and sizes are '
    'for this ingest, null the collection''s. Front matter of Markdown goes under metadata; its '
    'title and tags are taken where none are given. embed later: the text is found by its words '
    'at once, and job_id (null: nothing to embed) makes its vectors. Blank content is 22023.';
alter function rag.ingest(text, text, text, text, text[], jsonb, text[], text, text, text,
    timestamptz, timestamptz, text, integer, integer, integer, text, integer) owner to rag_owner;
revoke all on function rag.ingest(text, text, text, text, text[], jsonb, text[], text, text, text,
    timestamptz, timestamptz, text, integer, integer, integer, text, integer) from public;
grant execute on function rag.ingest(text, text, text, text, text[], jsonb, text[], text, text,
    text, timestamptz, timestamptz, text, integer, integer, integer, text, integer) to rag_writer;
