-- One search, and a prompt made of what it shows.
create or replace function rag_internal.context(
    who        name,
    ticket     bytea,
    token      text,
    request    rag_internal.search_request,
    max_tokens integer,
    templates  text[],
    model      text
) returns rag.context_result
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket, token);
    _found rag_internal.retrieval;
    _model rag_internal.model;
    _hits jsonb;
    _written jsonb;
    _result rag.context_result;
begin
    if context.max_tokens is null or context.max_tokens < 1 then
        raise exception using
            errcode = '22023',
            message = format('max_tokens is %s, but must be 1 or more', context.max_tokens),
            hint    = '2000 holds some eight passages.';
    end if;
    if context.model is not null then
        _model := rag_internal.find_model(context.model, _identity);
    end if;
    _found := rag_internal.answer(rag_internal.retrieve(_identity, request));
    if context.model is null then
        select m.* into _model
        from rag_internal.model m
        where m.model_id = coalesce(
            (select k.model_id
             from rag_internal.document d
             join rag_internal.collection k using (collection_id)
             where d.document_id = (_found.hits[1]).document_id),
            (select f.model_id from rag_internal.model f
             where f.kind = 'embedding' and f.is_default));
    end if;

    _hits := coalesce((select jsonb_agg(rag_internal.context_hit(h) order by h.rank)
                       from unnest(_found.hits) h), '[]');
    _written := rag_internal.write_context((request).query, _hits, context.max_tokens,
                                           context.templates, _model);
    _result.context := _written ->> 'context';
    _result.tokens := _written -> 'tokens';
    _result.status := case when _written -> 'sources' <> '[]' then 'found'
                           when _hits <> '[]' then 'no room'
                           when _found.status = 'found' then 'no match'
                           else _found.status end;
    _result.sources := coalesce((
        select jsonb_agg(
                   ((_hits -> (s.source -> 'hits' ->> 0)::integer) - 'content' - 'page')
                   || (s.source - 'hits')
                   || jsonb_build_object(
                          'number', s.number,
                          'citations', (select jsonb_agg(_hits -> p.place::integer -> 'citation'
                                                         order by p.n)
                                        from jsonb_array_elements_text(s.source -> 'hits')
                                             with ordinality p (place, n)))
                   order by s.number)
        from jsonb_array_elements(_written -> 'sources') with ordinality s (source, number)), '[]');
    _result.degraded := nullif(
        coalesce(_found.degraded, '{}')
        || array(select n.note from jsonb_array_elements_text(_written -> 'degraded') n (note)),
        '{}');
    return _result;
end
$$;

comment on function rag_internal.context(name, bytea, text, rag_internal.search_request, integer,
    text[], text) is
    'See rag.context.';
alter function rag_internal.context(name, bytea, text, rag_internal.search_request, integer, text[],
    text) owner to rag_owner;
revoke all on function rag_internal.context(name, bytea, text, rag_internal.search_request, integer,
    text[], text) from public;
grant execute on function rag_internal.context(name, bytea, text, rag_internal.search_request,
    integer, text[], text) to rag_reader;
