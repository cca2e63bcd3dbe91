-- Counts lines as the engine does.
create or replace function rag_internal.line_breaks(content text) returns integer
language sql immutable strict parallel safe
begin atomic
    select length(content) - length(replace(content, chr(10), ''));
end;

comment on function rag_internal.line_breaks(text) is
    'How many line feeds a text has.';
alter function rag_internal.line_breaks(text) owner to rag_owner;
revoke all on function rag_internal.line_breaks(text) from public;
