-- Sees to it that passages get the vectors they lack: what their owner has of the same text is
-- copied, the rest is queued as one job. Vectors of an external model are not ours to make: their
-- tasks belong to no job, and end when somebody gives the vector. What plain SQL is changing at
-- this moment is left to its triggers.
create or replace function rag_internal.queue_embeddings(
    collection  rag_internal.collection,
    document_id uuid,
    model_id    integer,
    identity    rag_internal.identity
) returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _job_id bigint;
begin
    with lacking as materialized (
        select w.model_id, w.provider, w.owner_id, c.chunk_id, d.acl_id, d.collection_id,
               rag_internal.embed_hash(w.revision, coalesce(c.embed_text, c.content)) as embed_hash
        from rag_internal.wanted_embedding w
        join rag_internal.document d using (document_id)
        join rag_internal.chunk c using (chunk_id)
        where w.collection_id = (collection).collection_id
          and (queue_embeddings.document_id is null or w.document_id = queue_embeddings.document_id)
          and (queue_embeddings.model_id is null or w.model_id = queue_embeddings.model_id)
          and not exists (select from rag_internal.embedding e
                          where e.model_id = w.model_id and e.chunk_id = w.chunk_id)
        for share of d, c skip locked
    ), copied as (
        insert into rag_internal.embedding as n (model_id, chunk_id, acl_id, collection_id,
                                                 embed_hash, v, full_v)
        select l.model_id, l.chunk_id, l.acl_id, l.collection_id, l.embed_hash, known.v,
               known.full_v
        from lacking l
        cross join lateral (
            select e.v, e.full_v
            from rag_internal.embedding e
            join rag_internal.collection k on k.collection_id = e.collection_id
            where e.model_id = l.model_id and e.embed_hash = l.embed_hash
              and k.owner_id = l.owner_id
            limit 1) known
        on conflict on constraint embedding_pkey do nothing
        returning n.model_id, n.chunk_id
    ), missing as materialized (
        select l.*
        from lacking l
        where not exists (select from copied c
                          where c.model_id = l.model_id and c.chunk_id = l.chunk_id)
          and not exists (select from rag_internal.embedding_task t
                          where t.model_id = l.model_id and t.chunk_id = l.chunk_id
                            and not t.is_dead)
    ), job as (
        insert into rag_internal.job (kind, collection_id, total, created_by, role_oid, reader,
                                      tenant)
        select 'embed', (collection).collection_id, s.total, (identity).who,
               quote_ident((identity).who)::regrole, (identity).reader, (identity).tenant
        from (select count(*) as total from missing m where m.provider <> 'external') s
        where s.total > 0
        returning job_id
    ), left_over as (
        -- what was given up in an earlier job is this one's now
        update rag_internal.job j set total = j.total - s.passages
        from (select t.job_id, count(*) as passages
              from missing m
              join rag_internal.embedding_task t
                on t.model_id = m.model_id and t.chunk_id = m.chunk_id
              where t.is_dead
              group by t.job_id) s
        where j.job_id = s.job_id
    ), queued as (
        insert into rag_internal.embedding_task as t (model_id, chunk_id, job_id, acl_id,
                                                      collection_id)
        select m.model_id, m.chunk_id, j.job_id, m.acl_id, m.collection_id
        from missing m left join job j on m.provider <> 'external'
        on conflict on constraint embedding_task_pkey do update
        set job_id = excluded.job_id, attempts = 0, run_after = excluded.run_after,
            is_dead = false, error = null, failed_at = null
        where t.is_dead
    )
    select j.job_id into _job_id from job j;
    return _job_id;
end
$$;

comment on function rag_internal.queue_embeddings(rag_internal.collection, uuid, integer,
    rag_internal.identity) is
    'The job that embeds what lacks a vector, in one document or (null) in the whole collection; '
    'null where nothing does. model_id null: every model of the collection. What was given up '
    'before is tried again.';
alter function rag_internal.queue_embeddings(rag_internal.collection, uuid, integer,
    rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.queue_embeddings(rag_internal.collection, uuid, integer,
    rag_internal.identity) from public;
