-- The vector of a question, where the collections of a search have one model that can be asked.
create or replace function rag_internal.question_vector(
    request rag_internal.search_request,
    scope   rag_internal.scope
) returns @extschema:vector@.vector
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _models rag_internal.model[] := array(
        select m from rag_internal.model m
        where m.model_id = any ((select rag_internal.seen_models(scope))::integer[]));
begin
    if cardinality(_models) <> 1 or _models[1].provider = 'external' then
        return null;
    end if;
    -- the semantic leg asks for the same one, which the session keeps
    return rag_internal.embed_query(
        (rag_internal.read_question((request).query)).content, _models[1],
        format('%s %s %s', ((scope).identity).who, ((scope).identity).tenant,
               ((scope).identity).reader));
exception when object_not_in_prerequisite_state then
    return null;  -- the leg says what is wrong
end
$$;

comment on function rag_internal.question_vector(rag_internal.search_request,
    rag_internal.scope) is
    'The unit vector of the query; null where there are several models, or one that cannot be '
    'asked.';
alter function rag_internal.question_vector(rag_internal.search_request, rag_internal.scope) owner
    to rag_owner;
revoke all on function rag_internal.question_vector(rag_internal.search_request, rag_internal.scope)
    from public;
