-- Models of a search that cannot be asked: their vectors come with the calls, or there are no
-- words, and the vector that was given is of other dimensions.
create or replace function rag_internal.unasked_models(
    scope        rag_internal.scope,
    has_words    boolean,
    query_vector @extschema:vector@.vector
) returns text[]
language sql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
    select array(
        select m.name from rag_internal.model m
        where m.model_id in (select k.model_id from rag_internal.collection k
                             where k.collection_id = any ((scope).collection_ids))
          and (m.provider = 'external' or not has_words)
          and m.dimensions is distinct from @extschema:vector@.vector_dims(query_vector)
        order by m.name)
$$;

comment on function rag_internal.unasked_models(rag_internal.scope, boolean,
    @extschema:vector@.vector) is
    'Names of models that collections in scope are searched by and that neither the words nor the '
    'vector of a query can ask.';
alter function rag_internal.unasked_models(rag_internal.scope, boolean,
    @extschema:vector@.vector) owner to rag_owner;
revoke all on function rag_internal.unasked_models(rag_internal.scope, boolean,
    @extschema:vector@.vector) from public;
