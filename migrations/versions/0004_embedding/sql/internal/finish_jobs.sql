-- Ends the jobs that have nothing left to do, and tells who waits for them. The row is locked first
-- and the tasks are looked at in a statement after that: of two workers that do a job's last
-- passages, the second sees what the first did.
create or replace function rag_internal.finish_jobs(job_ids bigint[]) returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _job_id bigint;
    _status text;
begin
    perform from rag_internal.job j
    where j.job_id = any (job_ids) and j.status in ('queued', 'running')
    order by j.job_id
    for no key update;
    for _job_id, _status in
        -- a job can have a million tasks: they are not counted for each claim
        update rag_internal.job j
        set status = case when exists (select from rag_internal.embedding_task t
                                       where t.job_id = j.job_id)
                          then 'failed' else 'done' end,
            error = (select max(t.error) from rag_internal.embedding_task t
                     where t.job_id = j.job_id),
            finished_at = clock_timestamp()
        where j.job_id = any (job_ids) and j.status in ('queued', 'running')
          and not exists (select from rag_internal.embedding_task t
                          where t.job_id = j.job_id and not t.is_dead)
        returning j.job_id, j.status
    loop
        perform pg_notify('ragsql_job_' || _job_id, _status);
    end loop;
    -- what somebody holds is not waited for: a claim comes by here when it ends
    update rag_internal.embedding_task t
    set is_dead = true, claim_id = null, error = coalesce(t.error, 'its job was cancelled'),
        failed_at = clock_timestamp()
    from (select g.model_id, g.chunk_id
          from rag_internal.embedding_task g
          join rag_internal.job j using (job_id)
          where j.job_id = any (job_ids) and j.status = 'cancelled' and not g.is_dead
          for update of g skip locked) g
    where t.model_id = g.model_id and t.chunk_id = g.chunk_id;
end
$$;

comment on function rag_internal.finish_jobs(bigint[]) is
    'done or failed for each of these jobs without open tasks, with a notification on the channel '
    'ragsql_job_ and its id; what is left of cancelled ones is given up.';
alter function rag_internal.finish_jobs(bigint[]) owner to rag_owner;
revoke all on function rag_internal.finish_jobs(bigint[]) from public;
