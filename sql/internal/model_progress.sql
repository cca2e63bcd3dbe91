-- How far the models are that a collection keeps vectors of.
create or replace function rag_internal.model_progress(
    collection rag_internal.collection,
    model_id   integer
) returns setof rag.model_progress
language sql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
    select m.name, m.model_id is not distinct from (collection).model_id, s.passages, s.embedded,
           s.passages - s.embedded - s.failed, s.failed
    from rag_internal.model m
    cross join lateral (
        select count(*) as passages, count(e.chunk_id) as embedded,
               count(*) filter (where e.chunk_id is null and t.is_dead) as failed
        from rag_internal.document d
        join rag_internal.chunk c using (document_id)
        left join rag_internal.embedding e on e.model_id = m.model_id and e.chunk_id = c.chunk_id
        left join rag_internal.embedding_task t
               on t.model_id = m.model_id and t.chunk_id = c.chunk_id
        where d.collection_id = (collection).collection_id
          and coalesce(c.value >= (collection).min_value, true)) s
    where case when model_progress.model_id is not null then m.model_id = model_progress.model_id
               else m.model_id = (collection).model_id
                    or m.model_id in (select n.model_id from rag_internal.collection_model n
                                      where n.collection_id = (collection).collection_id) end
    order by 2 desc, 1
$$;

comment on function rag_internal.model_progress(rag_internal.collection, integer) is
    'Rows of rag.model_progress: of one model, or (null) of those that the collection keeps '
    'vectors of.';
alter function rag_internal.model_progress(rag_internal.collection, integer) owner to rag_owner;
revoke all on function rag_internal.model_progress(rag_internal.collection, integer) from public;
