-- Refuses options of a search that are out of range, whoever gives them: a call, or a collection
-- for all calls that leave them out.
create or replace function rag_internal.check_search_options(options jsonb) returns void
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _name text;
    _value jsonb;
    _must text;
begin
    for _name, _value in select e.key, e.value from jsonb_each(options) e order by e.key loop
        _must := case
            when _name = 'fusion' then
                case when _value not in ('"rrf"', '"linear"', '"convex"')
                     then 'rrf, linear or convex' end
            when _name = 'expand' then
                case when _value not in ('"chunk"', '"section"', '"neighbours"')
                     then 'chunk, section or neighbours' end
            when _name = 'rerank' then
                case when jsonb_typeof(_value) <> 'string' then 'the name of a reranker' end
            when _name in ('candidates', 'rerank_candidates', 'max_per_document') then
                case when _value::text !~ '^[0-9]{1,10}$'
                          or _value::text::bigint not between 1 and 2147483647
                     then 'a whole number of 1 or more' end
            when _name = 'rrf_k' then
                case when _value::text !~ '^[0-9]{1,7}$' or _value::text::integer > 1000000
                     then 'a whole number from 0 to 1,000,000' end
            when _name = 'max_distance' then
                case when _value::text not in ('0', '1', '2') then '0, 1 or 2' end
            when _name in ('correct_typos', 'rerank_optional', 'collapse', 'highlight') then
                case when jsonb_typeof(_value) <> 'boolean' then 'true or false' end
            when _name in ('min_relevance', 'gate', 'mmr_lambda', 'close_similarity') then
                case when not jsonb_path_match(
                              _value, '$.type() == "number" '
                                      '&& ($ == 0 || $ >= 1e-300 && $ <= 1)')
                     then 'a number from 0 to 1' end
            when _name = 'cache' then
                case when not jsonb_path_match(
                              _value, '$.type() == "object" && $.ttl.type() == "number" '
                                      '&& $.ttl >= 1 && $.ttl <= 86400 '
                                      '&& (!exists($.similarity) '
                                      '    || $.similarity.type() == "number" '
                                      '    && $.similarity >= 0.5 && $.similarity <= 1)')
                          or _value - '{ttl, similarity}'::text[] <> '{}'
                     then '{"ttl": seconds up to 86400, "similarity": 0.5 to 1 (optional)}' end
            when _name = 'bm25_lead' then
                case when not jsonb_path_match(
                              _value, '$.type() == "number" && $ >= 1 && $ <= 1000000')
                     then 'a number of 1 or more' end
            when _name = 'min_score' then
                case when not jsonb_path_match(
                              _value, '$.type() == "number" && ($ == 0 '
                                      '|| $ > -1e300 && $ < -1e-300 || $ > 1e-300 && $ < 1e300)')
                     then 'a number' end
            end;
        if _must is not null then
            raise exception using
                errcode = '22023',
                message = format('%s is %s, but must be %s', _name,
                                 left(_value #>> '{}', 100), _must);
        end if;
    end loop;
end
$$;

comment on function rag_internal.check_search_options(jsonb) is
    '22023 for the first option, by name, whose value a search could not use. Options that are not '
    'given are not asked for.';
alter function rag_internal.check_search_options(jsonb) owner to rag_owner;
revoke all on function rag_internal.check_search_options(jsonb) from public;
