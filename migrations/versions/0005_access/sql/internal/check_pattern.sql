-- Refuses a regular expression that could not be used on every text. Without back-references
-- PostgreSQL's need no backtracking; what is slow nevertheless, ends with statement_timeout.
create or replace function rag_internal.check_pattern(pattern text) returns void
language plpgsql immutable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _problem text;
begin
    if coalesce(check_pattern.pattern, '') = '' then
        _problem := 'is empty';
    elsif length(check_pattern.pattern) > 1000 then
        _problem := 'has more than 1,000 characters';
    elsif check_pattern.pattern ~ '^(\*\*\*|\(\?[a-z]*[beq])' then
        _problem := 'is of another syntax than the advanced one';
    elsif check_pattern.pattern ~ '(^|[^\\])(\\\\)*\\[1-9]' then
        _problem := 'has a back-reference';
    elsif rag_internal.repetitions(check_pattern.pattern) > 10000 then
        _problem := 'repeats too much: the product of its bounds is above 10,000';
    else
        begin
            if '' collate "default" ~ check_pattern.pattern then
                _problem := 'matches the empty string';
            end if;
        exception when invalid_regular_expression then
            _problem := 'is none: ' || regexp_replace(sqlerrm, '^invalid regular expression: ', '');
        end;
    end if;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = 'the regular expression ' || _problem,
            hint    = 'One of PostgreSQL, such as (?i)project +falcon; (?i) ignores case.';
    end if;
end
$$;

comment on function rag_internal.check_pattern(text) is
    '22023 for a regular expression that is empty, longer than 1,000 characters or invalid, that '
    'matches the empty string, or that has back-references or too many repetitions.';
alter function rag_internal.check_pattern(text) owner to rag_owner;
revoke all on function rag_internal.check_pattern(text) from public;
