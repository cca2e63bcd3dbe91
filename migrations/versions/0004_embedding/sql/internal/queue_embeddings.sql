-- Sees to it that passages get the vectors they lack: what the tenant has of the same text is
-- copied, the rest is queued as one job. Vectors of an external model are not ours to make.
create or replace function rag_internal.queue_embeddings(
    collection  rag_internal.collection,
    document_id uuid,
    who         name
) returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _job_id bigint;
begin
    insert into rag_internal.embedding (model_id, chunk_id, acl_id, collection_id, embed_hash, v,
                                        full_v)
    select w.model_id, w.chunk_id, w.acl_id, w.collection_id, known.embed_hash, known.v,
           known.full_v
    from rag_internal.wanted_embedding w
    cross join lateral (
        select e.embed_hash, e.v, e.full_v
        from rag_internal.embedding e
        join rag_internal.collection k on k.collection_id = e.collection_id
        where e.model_id = w.model_id and k.tenant = w.tenant
          and e.embed_hash = rag_internal.embed_hash(w.revision, w.content)
        limit 1) known
    where w.collection_id = (collection).collection_id
      and (queue_embeddings.document_id is null or w.document_id = queue_embeddings.document_id)
      and not exists (select from rag_internal.embedding e
                      where e.model_id = w.model_id and e.chunk_id = w.chunk_id)
    on conflict on constraint embedding_pkey do nothing;

    with missing as materialized (
        select w.model_id, w.chunk_id, w.acl_id, w.collection_id
        from rag_internal.wanted_embedding w
        where w.collection_id = (collection).collection_id
          and (queue_embeddings.document_id is null
               or w.document_id = queue_embeddings.document_id)
          and w.provider <> 'external'
          and not exists (select from rag_internal.embedding e
                          where e.model_id = w.model_id and e.chunk_id = w.chunk_id)
          and not exists (select from rag_internal.embedding_task t
                          where t.model_id = w.model_id and t.chunk_id = w.chunk_id
                            and not t.is_dead)
    ), job as (
        insert into rag_internal.job (kind, collection_id, total, created_by, role_oid)
        select 'embed', (collection).collection_id, s.total, queue_embeddings.who,
               quote_ident(queue_embeddings.who)::regrole
        from (select count(*) as total from missing) s
        where s.total > 0
        returning job_id
    ), queued as (
        insert into rag_internal.embedding_task as t (model_id, chunk_id, job_id, acl_id,
                                                      collection_id)
        select m.model_id, m.chunk_id, j.job_id, m.acl_id, m.collection_id
        from missing m cross join job j
        on conflict on constraint embedding_task_pkey do update
        set job_id = excluded.job_id, attempts = 0, run_after = excluded.run_after,
            is_dead = false, error = null, failed_at = null
        where t.is_dead
    )
    select j.job_id into _job_id from job j;
    return _job_id;
end
$$;

comment on function rag_internal.queue_embeddings(rag_internal.collection, uuid, name) is
    'The job that embeds what lacks a vector, in one document or (null) in the whole collection; '
    'null where nothing does. What was given up before is tried again.';
alter function rag_internal.queue_embeddings(rag_internal.collection, uuid,
    name) owner to rag_owner;
revoke all on function rag_internal.queue_embeddings(rag_internal.collection, uuid,
    name) from public;
