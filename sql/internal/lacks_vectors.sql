-- Whether passages in scope wait for their vector: a search by meaning cannot find them yet.
create or replace function rag_internal.lacks_vectors(scope rag_internal.scope) returns boolean
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
begin
    -- as a rule nothing waits at all
    if not exists (select from rag_internal.embedding_task) then
        return false;
    end if;
    return exists (
        select from rag_internal.embedding_task t
        join rag_internal.collection k
          on k.collection_id = t.collection_id and k.model_id = t.model_id
        where t.collection_id = any ((scope).collection_ids)
          and t.acl_id = any ((scope).acl_ids)
          and exists (select from rag_internal.live_chunk c where c.chunk_id = t.chunk_id));
end
$$;

comment on function rag_internal.lacks_vectors(rag_internal.scope) is
    'Whether a passage in scope, which the caller can see, has no vector yet, or none for good, '
    'under the model that its collection is searched by.';
alter function rag_internal.lacks_vectors(rag_internal.scope) owner to rag_owner;
revoke all on function rag_internal.lacks_vectors(rag_internal.scope) from public;
