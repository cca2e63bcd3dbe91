-- Ends a job before its time. Its passages become dead letters, so that it can be taken back.
create or replace function rag_internal.cancel_job(who name, ticket bytea, job_id bigint)
returns boolean
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _job rag_internal.job := rag_internal.own_job(
        rag_internal.authenticate(who, ticket), cancel_job.job_id);
begin
    update rag_internal.job j
    set status = 'cancelled', finished_at = clock_timestamp()
    where j.job_id = cancel_job.job_id and j.status in ('queued', 'running');
    if not found then
        return false;
    end if;
    perform rag_internal.finish_jobs(array[cancel_job.job_id]);
    perform pg_notify('ragsql_job_' || cancel_job.job_id, 'cancelled');
    return true;
end
$$;

comment on function rag_internal.cancel_job(name, bytea, bigint) is
    'See rag.cancel_job.';
alter function rag_internal.cancel_job(name, bytea, bigint) owner to rag_owner;
revoke all on function rag_internal.cancel_job(name, bytea, bigint) from public;
grant execute on function rag_internal.cancel_job(name, bytea, bigint) to rag_writer;
