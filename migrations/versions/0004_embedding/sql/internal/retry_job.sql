-- Tries again what was given up.
create or replace function rag_internal.retry_job(who name, ticket bytea, job_id bigint)
returns integer
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _job rag_internal.job := rag_internal.own_job(
        rag_internal.authenticate(who, ticket), retry_job.job_id);
    _retried integer;
begin
    update rag_internal.embedding_task t
    set is_dead = false, attempts = 0, error = null, run_after = clock_timestamp()
    -- what is locked is being deleted
    from (select g.model_id, g.chunk_id from rag_internal.embedding_task g
          where g.job_id = retry_job.job_id and g.is_dead
          for update skip locked) g
    where t.model_id = g.model_id and t.chunk_id = g.chunk_id;
    get diagnostics _retried = row_count;
    if _retried > 0 then
        update rag_internal.job j
        set status = 'queued', error = null, finished_at = null
        where j.job_id = retry_job.job_id;
    end if;
    return _retried;
end
$$;

comment on function rag_internal.retry_job(name, bytea, bigint) is
    'See rag.retry_job.';
alter function rag_internal.retry_job(name, bytea, bigint) owner to rag_owner;
revoke all on function rag_internal.retry_job(name, bytea, bigint) from public;
grant execute on function rag_internal.retry_job(name, bytea, bigint) to rag_writer;
