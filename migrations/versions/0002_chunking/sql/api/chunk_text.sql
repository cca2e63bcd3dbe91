-- Splits a text into passages.
create or replace function rag.chunk_text(
    content        text,
    strategy       text    default 'word',
    chunk_size     integer default null,
    overlap        integer default null,
    min_chunk_size integer default null,
    model          text    default null,
    source         text    default null,
    language       text    default null,
    mime           text    default null
) returns setof rag.text_chunk
language sql stable parallel unsafe
begin atomic
    select p.*
    from rag_internal.caller c,
         lateral rag_internal.chunk_text(c.who, c.ticket, chunk_text.content, chunk_text.strategy,
                                         chunk_text.chunk_size, chunk_text.overlap,
                                         chunk_text.min_chunk_size, chunk_text.model,
                                         chunk_text.source, chunk_text.language,
                                         chunk_text.mime) p;
end;

comment on function rag.chunk_text(text, text, integer, integer, integer, text, text, text, text) is
    'Passages of a text; content = substr(text, start_offset + 1, end_offset - start_offset). '
    'Strategies: word, semantic, character, token, markdown, code, json, clause, auto, and the '
    'presets documentation, schemas, deployments; docs/chunking.md has their units and sizes. '
    'source (a file name) and language say what code is written in, source and mime guide auto. '
    'Each passage, its context (embed_text) included, fits the window of the model (null: the '
    'default model, none: no limit). 22023 for an unknown strategy or sizes that cannot work.';
alter function rag.chunk_text(text, text, integer, integer, integer, text, text, text,
    text) owner to rag_owner;
revoke all on function rag.chunk_text(text, text, integer, integer, integer, text, text, text,
    text) from public;
grant execute on function rag.chunk_text(text, text, integer, integer, integer, text, text, text,
    text) to rag_reader;
