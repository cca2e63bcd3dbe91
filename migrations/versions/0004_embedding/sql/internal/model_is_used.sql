-- Whether anything depends on how a model makes its vectors.
create or replace function rag_internal.model_is_used(model_id integer) returns boolean
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select exists (select from rag_internal.collection k
                   where k.model_id = model_is_used.model_id)
        or exists (select from rag_internal.collection_model k
                   where k.model_id = model_is_used.model_id)
        or exists (select from rag_internal.embedding e
                   where e.model_id = model_is_used.model_id)
$$;

comment on function rag_internal.model_is_used(integer) is
    'Whether a collection uses or keeps the model, or there is a vector of it.';
alter function rag_internal.model_is_used(integer) owner to rag_owner;
revoke all on function rag_internal.model_is_used(integer) from public;
