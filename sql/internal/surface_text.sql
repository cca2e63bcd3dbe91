-- What of a passage is looked through for words as they are written.
create or replace function rag_internal.surface_text(title text, heading text[], content text)
returns text
language sql immutable parallel safe
begin atomic
    select concat_ws(' ', title, nullif(array_to_string(heading, ' '), ''), content);
end;

comment on function rag_internal.surface_text(text, text[], text) is
    'Title, headings and content of a passage.';
alter function rag_internal.surface_text(text, text[], text) owner to rag_owner;
revoke all on function rag_internal.surface_text(text, text[], text) from public;
