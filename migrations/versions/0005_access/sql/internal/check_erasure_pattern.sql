-- Refuses patterns that mean everything, before they erase it.
create or replace function rag_internal.check_erasure_pattern(pattern text, kind text) returns void
language plpgsql immutable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _problem text;
begin
    if kind is null or kind not in ('like', 'regex') then
        raise exception using
            errcode = '22023',
            message = format('kind is "%s", but one of: like, regex', coalesce(kind, 'null')),
            hint    = 'like: % and _ stand for anything; regex: a regular expression.';
    elsif pattern is null or pattern !~ '[[:graph:]]' then
        _problem := 'is empty';
    elsif kind = 'regex' then
        perform rag_internal.check_pattern(pattern);
    elsif pattern !~ '^([^\\]|\\.)*$' then
        _problem := 'ends with the escape character';
    -- without wildcards, and what is escaped as it is
    elsif regexp_replace(pattern, '\\(.)|[%_]', '\1', 'g') !~ '[[:graph:]]' then
        _problem := 'has nothing but wildcards';
    end if;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = 'the pattern ' || _problem,
            hint    = 'Give the text to find: %text% finds it anywhere. Documents that match are '
                      'erased whole; dry_run => true lists them.';
    end if;
end
$$;

comment on function rag_internal.check_erasure_pattern(text, text) is
    '22023 for an unknown kind, a pattern that is invalid or empty, and one that means everything.';
alter function rag_internal.check_erasure_pattern(text, text) owner to rag_owner;
revoke all on function rag_internal.check_erasure_pattern(text, text) from public;
