-- Refuses options of rag.add_model that are unknown or of the wrong type.
create or replace function rag_internal.check_model_options(options jsonb) returns void
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    -- option, what its value is, and that as a path predicate
    _known constant text[] := array[
        ['revision', 'a string', '$.type() == "string"'],
        ['metric', 'cosine, l2 or inner_product',
         '$ == "cosine" || $ == "l2" || $ == "inner_product"'],
        ['query_prefix', 'a string', '$.type() == "string"'],
        ['passage_prefix', 'a string', '$.type() == "string"'],
        ['max_tokens', 'a whole number from 32 to 1,000,000 or null',
         '$ == null || ($ >= 32 && $ <= 1000000 && $.floor() == $)'],
        ['is_default', 'a boolean', '$.type() == "boolean"'],
        ['endpoints', 'a list of objects',
         '$.type() == "array" && !exists($[*] ? (@.type() != "object"))'],
        ['storage', 'halfvec or vector', '$ == "halfvec" || $ == "vector"'],
        ['quantization', 'none or binary', '$ == "none" || $ == "binary"'],
        ['m', 'a whole number from 2 to 100', '$ >= 2 && $ <= 100 && $.floor() == $'],
        ['ef_construction', 'a whole number from 4 to 1,000',
         '$ >= 4 && $ <= 1000 && $.floor() == $'],
        ['ef_search', 'a whole number from 1 to 1,000', '$ >= 1 && $ <= 1000 && $.floor() == $'],
        ['memory_efficient', 'a boolean', '$.type() == "boolean"'],
        ['long_input', 'average or error', '$ == "average" || $ == "error"']];
    _problem text;
begin
    if jsonb_typeof(options) <> 'object' then
        _problem := 'options is not a JSON object';
    else
        select case when k.i is null then format('unknown option: %s', o.key)
                    else format('%s is not %s', o.key, _known[k.i][2]) end
        into _problem
        from jsonb_each(options) o
        left join (select i from generate_subscripts(_known, 1) i) k on _known[k.i][1] = o.key
        where k.i is null
           or (_known[k.i][2] ~ 'whole number' and o.value::text ~ '[.e]')
           or jsonb_path_match(o.value, ('strict ' || _known[k.i][3])::jsonpath, '{}', true)
              is not true
        order by o.key
        limit 1;
    end if;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = format('Options: %s.',
                             array_to_string(array(select _known[i][1]
                                                   from generate_subscripts(_known, 1) i), ', '));
    end if;
end
$$;

comment on function rag_internal.check_model_options(jsonb) is
    '22023 for what is no object of options of rag.add_model with values of their types.';
alter function rag_internal.check_model_options(jsonb) owner to rag_owner;
revoke all on function rag_internal.check_model_options(jsonb) from public;
