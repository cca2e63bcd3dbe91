-- The semantic leg over collections of any number of models: the query is embedded once per model,
-- and since distances of two models do not compare, their lists are merged by rank.
create or replace function rag_internal.semantic_legs(
    query        text,
    query_vector @extschema:vector@.vector,
    scope        rag_internal.scope,
    cut          bigint,
    is_forgiving boolean,
    out hits     rag_internal.leg_hit[],
    out notes    text[],
    out steps    rag.search_step[]
)
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _model rag_internal.model;
    _of_model rag_internal.scope := scope;
    _question rag_internal.question;
    _asked rag_internal.model[];
    _unasked text[];
    _vector @extschema:vector@.vector;
    _conditions rag_internal.text_condition[] := '{}';
    _leg record;
    _step rag.search_step;
    _sight record := rag_internal.sight(scope);
    _has_answer boolean := false;
    _started timestamptz;
    _error text;
    _hint text;
begin
    hits := '{}';
    notes := '{}';
    steps := '{}';
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
            from unnest(_sight.text_configs) n (text_config));
    end if;
    select s.asked, s.unasked into _asked, _unasked
    from rag_internal.semantic_models(
        scope, coalesce((scope).collection_ids, _sight.collection_ids),
        coalesce(_question.content, '') <> '', query_vector) s;
    foreach _model in array _asked loop
        _of_model.collection_ids := array(
            select k.collection_id from rag_internal.collection k
            where k.collection_id = any (_sight.collection_ids) and k.model_id = _model.model_id);
        if (scope).collection_ids is null and _of_model.collection_ids @> _sight.collection_ids then
            _of_model.collection_ids := null;
        end if;
        begin
            if _model.dimensions = @extschema:vector@.vector_dims(query_vector) then
                _vector := @extschema:vector@.l2_normalize(query_vector);
            else
                _started := clock_timestamp();
                _vector := rag_internal.embed_query(
                    _question.content, _model,
                    format('%s %s %s', (scope).identity.who, (scope).identity.tenant,
                           (scope).identity.reader));
                steps := steps || rag_internal.search_step('question', _model.provider, _model.name,
                                                           null, _started);
            end if;
            _leg := rag_internal.semantic_leg(_vector, _model, _of_model, _conditions,
                                              least(cut, 1000000000000));  -- room to add to it
            _step := _leg.step;
            _step.why := format('%s: %s', _model.name, _step.why);
            steps := steps || _step;
            hits := hits || _leg.hits;
            _has_answer := true;
        exception when object_not_in_prerequisite_state then
            if not is_forgiving then
                raise;
            end if;
            get stacked diagnostics _error = message_text, _hint = pg_exception_hint;
            _error := format('semantic: %s', regexp_replace(_error, '^ragsql: ', ''));
            notes := array_remove(notes, _error) || _error;
        end;
    end loop;
    if _error is not null and not _has_answer then
        raise exception using
            errcode = '55000', message = regexp_replace(_error, '^semantic: ', ''), hint = _hint;
    end if;
    hits := array(
        select row(h.leg,
                   (row_number() over (order by h.rank, h.document_id, h.chunk_index))::integer,
                   h.score, h.document_id, h.chunk_index, null::text)::rag_internal.leg_hit
        from unnest(hits) h
        order by h.rank, h.document_id, h.chunk_index
        limit cut);
    if rag_internal.lacks_vectors(scope) then
        notes := notes || 'semantic: some passages have no vector'::text;
    end if;
    if cardinality(_unasked) > 0 then
        notes := notes || format('semantic: needs query_vector for what has the model %s',
                                 array_to_string(_unasked, ', '));
    end if;
end
$$;

comment on function rag_internal.semantic_legs(text, @extschema:vector@.vector, rag_internal.scope,
    bigint, boolean) is
    'At most cut passages by meaning, each collection under the model that it is searched by; '
    'query_vector stands for the query under the model of its dimensions. notes: what may be '
    'missing. 55000 where a model cannot be asked; is_forgiving: only if no other one can.';
alter function rag_internal.semantic_legs(text, @extschema:vector@.vector, rag_internal.scope,
    bigint, boolean) owner to rag_owner;
revoke all on function rag_internal.semantic_legs(text, @extschema:vector@.vector,
    rag_internal.scope, bigint, boolean) from public;
