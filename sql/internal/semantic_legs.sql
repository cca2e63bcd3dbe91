-- The semantic leg over collections of any number of models: the query is embedded once per model,
-- and since distances of two models do not compare, their lists are merged by rank.
create or replace function rag_internal.semantic_legs(
    query        text,
    query_vector @extschema:vector@.vector,
    scope        rag_internal.scope,
    cut          bigint
) returns setof rag_internal.leg_hit
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _model rag_internal.model;
    _of_model rag_internal.scope := scope;
    _question rag_internal.question;
    _vector @extschema:vector@.vector;
    _conditions rag_internal.text_condition[] := '{}';
    _hits rag_internal.leg_hit[] := '{}';
begin
    if not rag_internal.is_blank(semantic_legs.query) then
        _question := rag_internal.read_question(semantic_legs.query);
    end if;
    if query_vector is null and coalesce(_question.content, '') = '' then
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
    for _model in select m.* from rag_internal.semantic_models(scope, query_vector) m loop
        _of_model.collection_ids := array(
            select k.collection_id from rag_internal.collection k
            where k.collection_id = any ((scope).collection_ids) and k.model_id = _model.model_id);
        if query_vector is not null then
            _vector := @extschema:vector@.l2_normalize(query_vector);
        elsif _model.provider = 'external' then
            raise exception using
                errcode = '22023',
                message = format('the vectors of model "%s" come with the calls, and so must that '
                                 'of the query', _model.name),
                hint    = 'Give query_vector and name collections of this model; or leave the '
                          'semantic leg out: strategy => ''bm25'', or weights with '
                          '"semantic": 0.';
        else
            _vector := rag_internal.embed_query(_question.content, _model, (scope).identity.who);
        end if;
        _hits := _hits || array(
            select h
            from rag_internal.semantic_leg(_vector, _model, _of_model, _conditions, cut) h);
    end loop;
    return query
        select h.leg, (row_number() over (order by h.rank, h.document_id, h.chunk_index))::integer,
               h.score, h.document_id, h.chunk_index, null::text
        from unnest(_hits) h
        order by 2
        limit cut;
end
$$;

comment on function rag_internal.semantic_legs(text, @extschema:vector@.vector, rag_internal.scope,
    bigint) is
    'At most cut passages by meaning, each collection under the model that it is searched by; '
    'query_vector stands for the query where it is given. 55000 where no collection has a model.';
alter function rag_internal.semantic_legs(text, @extschema:vector@.vector, rag_internal.scope,
    bigint) owner to rag_owner;
revoke all on function rag_internal.semantic_legs(text, @extschema:vector@.vector,
    rag_internal.scope, bigint) from public;
