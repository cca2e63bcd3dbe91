-- The semantic leg over collections of any number of models: the query is embedded once per model,
-- and since distances of two models do not compare, their lists are merged by rank.
create or replace function rag_internal.semantic_legs(
    query text,
    scope rag_internal.scope,
    cut   bigint
) returns setof rag_internal.leg_hit
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _model rag_internal.model;
    _of_model rag_internal.scope := scope;
    _question rag_internal.question := rag_internal.read_question(semantic_legs.query);
    _conditions rag_internal.text_condition[] := '{}';
    _hits rag_internal.leg_hit[] := '{}';
begin
    if _question.content = '' then
        return;  -- exclusions alone have no meaning that could be near
    end if;
    if cardinality(_question.phrases || _question.excluded) > 0 then
        _conditions := array(
            select row(n.text_config,
                       rag_internal.question_condition(_question.phrases, _question.excluded,
                                                       n.text_config))
            from (select distinct d.text_config from rag_internal.document d
                  where d.collection_id = any ((scope).collection_ids)) n);
    end if;
    for _model in
        select m.* from rag_internal.model m
        where exists (select from rag_internal.embedding e
                      where e.model_id = m.model_id and e.acl_id = any ((scope).acl_ids)
                        and e.collection_id = any ((scope).collection_ids))
        order by m.name
    loop
        _of_model.collection_ids := array(
            select k.collection_id from rag_internal.collection k
            where k.collection_id = any ((scope).collection_ids) and k.model_id = _model.model_id);
        _hits := _hits || array(
            select h
            from rag_internal.semantic_leg(
                (rag_internal.embed_texts(array[_question.content], 'query', _model))[1], _model,
                _of_model, _conditions, cut) h);
    end loop;
    if cardinality((scope).collection_ids) > 0
       and not exists (select from rag_internal.collection k
                       where k.collection_id = any ((scope).collection_ids)
                         and k.model_id is not null) then
        raise exception using
            errcode = '55000',
            message = 'no collection of this search has an embedding model',
            hint    = 'strategy => ''bm25'' or ''fuzzy'' needs none.';
    end if;
    return query
        select h.leg, (row_number() over (order by h.rank, h.document_id, h.chunk_index))::integer,
               h.score, h.document_id, h.chunk_index, null::text
        from unnest(_hits) h
        order by 2
        limit cut;
end
$$;

comment on function rag_internal.semantic_legs(text, rag_internal.scope, bigint) is
    'At most cut passages by meaning, over every model that has a passage in scope; 55000 where '
    'they use none.';
alter function rag_internal.semantic_legs(text, rag_internal.scope, bigint) owner to rag_owner;
revoke all on function rag_internal.semantic_legs(text, rag_internal.scope, bigint) from public;
