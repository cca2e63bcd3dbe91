-- Splits a text into passages.
create or replace function rag.chunk_text(
    content        text,
    strategy       text    default 'word',
    chunk_size     integer default null,
    overlap        integer default null,
    min_chunk_size integer default null,
    model          text    default null
) returns setof rag.text_chunk
language sql stable parallel unsafe
begin atomic
    select p.*
    from rag_internal.caller c,
         lateral rag_internal.chunk_text(c.who, c.ticket, chunk_text.content, chunk_text.strategy,
                                         chunk_text.chunk_size, chunk_text.overlap,
                                         chunk_text.min_chunk_size, chunk_text.model) p;
end;

comment on function rag.chunk_text(text, text, integer, integer, integer, text) is
    'Passages of a text; content = substr(text, start_offset + 1, end_offset - start_offset). '
    'Strategies: word (200 words, 50 of overlap), character (500, 100); a tail below '
    'min_chunk_size (20 characters) joins its neighbour. Each passage fits the window of the model '
    '(null: the default model, none: no limit). An overlap not below the size is 22023.';
alter function rag.chunk_text(text, text, integer, integer, integer, text) owner to rag_owner;
revoke all on function rag.chunk_text(text, text, integer, integer, integer, text) from public;
grant execute on function rag.chunk_text(text, text, integer, integer, integer, text) to rag_reader;
