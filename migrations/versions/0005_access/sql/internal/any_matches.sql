-- Whether one of several texts matches a pattern.
create or replace function rag_internal.any_matches(texts text[], pattern text, kind text)
returns boolean
language sql immutable parallel safe
begin atomic
    select exists (select from unnest(texts) t (item)
                   where rag_internal.matches_pattern(t.item, pattern, kind));
end;

comment on function rag_internal.any_matches(text[], text, text) is
    'See rag_internal.matches_pattern.';
alter function rag_internal.any_matches(text[], text, text) owner to rag_owner;
revoke all on function rag_internal.any_matches(text[], text, text) from public;
