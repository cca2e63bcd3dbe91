-- Refuses a filter that could raise or stall on rows the caller may not see, or that filters nothing.
create or replace function rag_internal.check_filter(filter jsonb, filter_path jsonpath, vars jsonb) returns void
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    -- the path as PostgreSQL prints it, without its string literals
    _path text := regexp_replace(filter_path::text, '"(\\.|[^"\\])*"', '""', 'g');
begin
    if jsonb_typeof(filter) <> 'object' then
        raise exception using
            errcode = '22023',
            message = 'filter is not a JSON object',
            hint    = 'For example: {"tags": ["guide"]}.';
    elsif jsonb_typeof(vars) <> 'object' then
        raise exception using errcode = '22023', message = 'vars is not a JSON object';
    elsif _path ~ 'like_regex' or regexp_replace(_path, '\.(type|size)\(\)', '', 'g') ~ '\.\w+\s*\(' then
        raise exception using
            errcode = '22023',
            message = 'filter_path may not use like_regex, nor methods other than type() and size()',
            hint    = 'Compare values; dates are ISO 8601 text, which compares in order.';
    end if;
    if filter_path is not null then
        begin
            perform jsonb_path_match('{}', filter_path, coalesce(vars, '{}'), false);
        exception
            when singleton_sql_json_item_required then
                raise exception using
                    errcode = '22023',
                    message = 'filter_path is not a predicate',
                    hint    = 'Write a condition, such as $.team == "ops" or exists($.tags[*] ? (@ == "guide")).';
            when undefined_object then
                raise exception using
                    errcode = '22023',
                    message = sqlerrm,
                    hint    = 'Give every variable of filter_path a value in vars.';
        end;
    end if;
end
$$;

comment on function rag_internal.check_filter(jsonb, jsonpath, jsonb) is
    '22023 for a filter that is no object, for a path with like_regex or methods, for one that is '
    'not a predicate, and for a missing variable.';
alter function rag_internal.check_filter(jsonb, jsonpath, jsonb) owner to rag_owner;
revoke all on function rag_internal.check_filter(jsonb, jsonpath, jsonb) from public;
