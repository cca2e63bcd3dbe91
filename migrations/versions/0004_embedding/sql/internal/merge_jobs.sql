-- One call, one job: what the documents of an ingest_many queued becomes one.
create or replace function rag_internal.merge_jobs(job_ids bigint[]) returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    if cardinality(job_ids) > 1 then
        update rag_internal.embedding_task t set job_id = job_ids[1]
        where t.job_id = any (job_ids[2:]);
        update rag_internal.job j
        set total = s.total, status = s.status, error = s.error, finished_at = s.finished_at
        from (select sum(o.total) as total, max(o.error) as error,
                     case when bool_or(o.status = 'queued') then 'queued' else 'failed' end
                         as status,
                     case when not bool_or(o.status = 'queued') then max(o.finished_at) end
                         as finished_at
              from rag_internal.job o where o.job_id = any (job_ids)) s
        where j.job_id = job_ids[1];
        delete from rag_internal.job j where j.job_id = any (job_ids[2:]);
    end if;
    return job_ids[1];
end
$$;

comment on function rag_internal.merge_jobs(bigint[]) is
    'Joins jobs of this transaction into the first of them, and returns it.';
alter function rag_internal.merge_jobs(bigint[]) owner to rag_owner;
revoke all on function rag_internal.merge_jobs(bigint[]) from public;
