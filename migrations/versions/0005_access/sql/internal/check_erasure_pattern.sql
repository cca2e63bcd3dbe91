-- Refuses a pattern that would erase everything, or that is none.
create or replace function rag_internal.check_erasure_pattern(pattern text, kind text) returns void
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if kind is null or kind not in ('like', 'regex') then
        raise exception using
            errcode = '22023',
            message = format('kind is "%s", but one of: like, regex', coalesce(kind, 'null')),
            hint    = 'like: % and _ stand for anything; regex: a regular expression.';
    elsif kind = 'regex' then
        perform rag_internal.check_pattern(pattern);
    elsif coalesce(translate(pattern, '%_', ''), '') = '' then
        raise exception using
            errcode = '22023',
            message = 'the pattern is empty or matches everything',
            hint    = 'Give the text to find: %text% finds it anywhere.';
    end if;
end
$$;

comment on function rag_internal.check_erasure_pattern(text, text) is
    '22023 for an unknown kind, an invalid or empty pattern, and one that matches everything.';
alter function rag_internal.check_erasure_pattern(text, text) owner to rag_owner;
revoke all on function rag_internal.check_erasure_pattern(text, text) from public;
