-- Whether a text is like a pattern, by the operator that kind names.
create or replace function rag_internal.matches_pattern(content text, pattern text, kind text)
returns boolean
language sql immutable parallel safe
begin atomic
    select case kind when 'like' then content like pattern else content ~ pattern end;
end;

comment on function rag_internal.matches_pattern(text, text, text) is
    'kind is like or regex; null for a null content.';
alter function rag_internal.matches_pattern(text, text, text) owner to rag_owner;
revoke all on function rag_internal.matches_pattern(text, text, text) from public;
