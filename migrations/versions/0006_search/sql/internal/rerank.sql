-- Ranks texts that the caller brings.
create or replace function rag_internal.rerank(
    who      name,
    ticket   bytea,
    query    text,
    passages text[],
    model    text,
    token    text
) returns setof rag.reranked
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _problem text;
begin
    perform rag_internal.authenticate(who, ticket, token);
    _problem := case
        when array_ndims(passages) > 1 then 'passages has more than one dimension'
        when cardinality(passages) > 1000
            then format('%s passages are given, but at most 1,000 are ranked at once',
                        cardinality(passages)) end;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'Give a list of texts; rag.search finds passages first.';
    end if;
    perform rag_internal.check_query(rerank.query);
    return query
        select (row_number() over (order by s.score desc, s.place))::integer, s.place::integer,
               s.score
        from unnest(rag_internal.rerank_passages(rerank.query, passages, model))
             with ordinality s (score, place)
        order by s.score desc, s.place;
end
$$;

comment on function rag_internal.rerank(name, bytea, text, text[], text, text) is
    'See rag.rerank.';
alter function rag_internal.rerank(name, bytea, text, text[], text, text) owner to rag_owner;
revoke all on function rag_internal.rerank(name, bytea, text, text[], text, text) from public;
grant execute on function rag_internal.rerank(name, bytea, text, text[], text, text) to rag_reader;
