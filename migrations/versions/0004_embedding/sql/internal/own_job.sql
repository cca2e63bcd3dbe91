-- A job that the identity may wait for, cancel and retry.
create or replace function rag_internal.own_job(identity rag_internal.identity, job_id bigint)
returns rag_internal.job
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _job rag_internal.job;
begin
    select j.* into _job from rag_internal.job j
    where j.job_id = own_job.job_id and rag_internal.owns_job(j, identity);
    if not found then
        raise exception using
            errcode = 'P0002',
            message = format('job %s does not exist or is not yours', own_job.job_id),
            hint    = 'select job_id, status from rag.job_status shows those that are.';
    end if;
    return _job;
end
$$;

comment on function rag_internal.own_job(rag_internal.identity, bigint) is
    'The row of a job of the identity''s; P0002 where there is none.';
alter function rag_internal.own_job(rag_internal.identity, bigint) owner to rag_owner;
revoke all on function rag_internal.own_job(rag_internal.identity, bigint) from public;
