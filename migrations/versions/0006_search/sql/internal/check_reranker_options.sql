-- Refuses options of rag.add_reranker that are unknown or of the wrong type.
create or replace function rag_internal.check_reranker_options(options jsonb) returns void
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _problem text;
begin
    if jsonb_typeof(options) <> 'object' then
        _problem := 'options is not a JSON object';
    else
        select case when k.name is null then format('unknown option: %s', o.key)
                    else format('%s is not %s', o.key, k.what) end
        into _problem
        from jsonb_each(options) o
        left join (values
            ('revision', 'a string', '$.type() == "string"'),
            ('max_tokens', 'a whole number from 64 to 1,000,000 or null',
             '$ == null || ($ >= 64 && $ <= 1000000 && $.floor() == $)'),
            ('is_default', 'a boolean', '$.type() == "boolean"'),
            ('scores', 'logit or probability', '$ == "logit" || $ == "probability"'),
            ('endpoints', 'a list of objects',
             '$.type() == "array" && !exists($[*] ? (@.type() != "object"))'))
            k (name, what, path) on k.name = o.key
        where k.name is null
           or (o.key = 'max_tokens' and o.value::text ~ '[.e]')
           or jsonb_path_match(o.value, ('strict ' || k.path)::jsonpath, '{}', true) is not true
        order by o.key
        limit 1;
    end if;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'Options: revision, max_tokens, is_default, scores, endpoints.';
    end if;
end
$$;

comment on function rag_internal.check_reranker_options(jsonb) is
    '22023 for what is no object of options of rag.add_reranker with values of their types.';
alter function rag_internal.check_reranker_options(jsonb) owner to rag_owner;
revoke all on function rag_internal.check_reranker_options(jsonb) from public;
