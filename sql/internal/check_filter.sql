-- Refuses a filter that could raise or stall on rows the caller may not see, or that filters
-- nothing. What a row alone would show (a variable without a value, behind a condition that
-- is mostly false) is looked for in the path as PostgreSQL prints it: keys, strings and
-- names of variables quoted.
create or replace function rag_internal.check_filter(
    filter      jsonb,
    filter_path jsonpath,
    vars        jsonb
) returns void
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _quoted constant text := '"(?:[^"\\]|\\.)*"';
    _unquoted text;
    _missing text;
begin
    if jsonb_typeof(filter) <> 'object' then
        raise exception using
            errcode = '22023',
            message = 'filter is not a JSON object',
            hint    = 'For example: {"tags": ["guide"]}.';
    elsif jsonb_typeof(vars) <> 'object' then
        raise exception using errcode = '22023', message = 'vars is not a JSON object';
    elsif filter_path is null then
        return;
    -- its size in memory first: to print a deep path overflows the stack
    elsif (case when pg_column_size(filter_path) > 100000 then true
                else octet_length(filter_path::text) > 10000 end)
          or octet_length(vars::text) > 100000 then
        raise exception using
            errcode = '22023',
            message = 'filter_path has more than 10,000 bytes, or vars more than 100,000',
            hint    = 'Put long lists into metadata, and compare with one value.';
    end if;

    _unquoted := regexp_replace(filter_path::text, _quoted, '""', 'g');
    if _unquoted ~ 'like_regex'
          or regexp_replace(_unquoted, '\.(type|size)\(\)', '', 'g') ~ '\.\w+\s*\(' then
        raise exception using
            errcode = '22023',
            message = 'filter_path may use neither like_regex nor methods but type() and size()',
            hint    = 'Compare values; dates are ISO 8601 text, which compares in order.';
    end if;

    select v.name into _missing
    from (select (right(m[1], -1)::jsonb) #>> '{}' as name
          from regexp_matches(filter_path::text, '(\$?' || _quoted || ')', 'g') m
          where m[1] like '$%') v
    where not coalesce(vars, '{}') ? v.name
    limit 1;
    if found then
        raise exception using
            errcode = '22023',
            message = format('filter_path uses $%s, which vars does not have', _missing),
            hint    = 'Give every variable of filter_path a value in vars.';
    elsif jsonb_path_query_array('{}', filter_path, coalesce(vars, '{}'), true)
          not in ('[true]', '[false]', '[null]') then
        raise exception using
            errcode = '22023',
            message = 'filter_path is not a predicate',
            hint    = 'Write a condition: $.team == "ops", or exists($.tags[*] ? (@ == "guide")).';
    end if;
end
$$;

comment on function rag_internal.check_filter(jsonb, jsonpath, jsonb) is
    '22023 for a filter that is no object, for a path with like_regex or methods, for one that is '
    'not a predicate, and for a missing variable.';
alter function rag_internal.check_filter(jsonb, jsonpath, jsonb) owner to rag_owner;
revoke all on function rag_internal.check_filter(jsonb, jsonpath, jsonb) from public;
