-- Says how much a passage is worth: what rag.chunk.value holds of stored ones.
create or replace function rag.predict_chunk_value(
    content text,
    heading text[] default '{}',
    kind    text   default 'prose'
) returns real
language sql stable parallel unsafe
begin atomic
    select rag_internal.predict_chunk_value(
        c.who, c.ticket, predict_chunk_value.content, predict_chunk_value.heading,
        predict_chunk_value.kind)
    from rag_internal.caller c;
end;

comment on function rag.predict_chunk_value(text, text[], text) is
    'From 0 to 1: how likely a passage answers a question by itself. Licences, changelogs, '
    'navigation and tables of contents are low, code without a word of prose at most 0.5. kind '
    'as in rag.chunk. Blank content is 22023.';
alter function rag.predict_chunk_value(text, text[], text) owner to rag_owner;
revoke all on function rag.predict_chunk_value(text, text[], text) from public;
grant execute on function rag.predict_chunk_value(text, text[], text) to rag_reader;
