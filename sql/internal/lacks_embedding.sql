-- Whether a document has a passage without a vector that could be made now.
create or replace function rag_internal.lacks_embedding(document_id uuid) returns boolean
language sql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
    select exists (
        select from rag_internal.chunk c
        join rag_internal.embedding_task t using (chunk_id)
        join rag_internal.collection k
          on k.collection_id = t.collection_id and k.model_id = t.model_id
        where c.document_id = lacks_embedding.document_id
          and t.job_id is not null and not t.is_dead)
$$;

comment on function rag_internal.lacks_embedding(uuid) is
    'Whether passages of the document wait for their vector under the model that its collection '
    'is searched by.';
alter function rag_internal.lacks_embedding(uuid) owner to rag_owner;
revoke all on function rag_internal.lacks_embedding(uuid) from public;
