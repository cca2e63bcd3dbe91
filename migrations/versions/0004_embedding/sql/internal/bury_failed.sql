-- Passages that a model has just refused are not tried again by themselves.
create or replace function rag_internal.bury_failed(
    document   rag_internal.document,
    collection rag_internal.collection,
    chunks     rag_internal.prepared_chunk[]
) returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _failed integer := (select count(*) from unnest(chunks) c where c.error is not null);
    _job_ids bigint[];
begin
    if _failed = 0 then
        return;
    end if;
    with failed as (
        update rag_internal.embedding_task t
        set is_dead = true, attempts = 1, error = p.error, failed_at = clock_timestamp()
        from unnest(chunks) p
        join rag_internal.chunk c on c.document_id = (document).document_id
                                 and c.chunk_index = (p.chunk).chunk_index
        where p.error is not null
          and t.model_id = (collection).model_id and t.chunk_id = c.chunk_id
        returning t.job_id
    )
    select array_agg(distinct f.job_id) into _job_ids from failed f;
    perform rag_internal.finish_jobs(_job_ids);
    raise warning 'passages of "%" that could not be embedded: %', (document).source, _failed
        using detail = (select c.error from unnest(chunks) c where c.error is not null limit 1),
              hint = 'They are found by their words. rag.dead_letter lists them; '
                     'rag.retry_job(job_id) tries them again.';
end
$$;

comment on function rag_internal.bury_failed(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[]) is
    'Turns the tasks of passages with an error into dead letters, and warns once.';
alter function rag_internal.bury_failed(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[]) owner to rag_owner;
revoke all on function rag_internal.bury_failed(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[]) from public;
