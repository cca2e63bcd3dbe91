-- Tries again what was given up.
create or replace function rag.retry_job(job_id bigint) returns integer
language sql volatile parallel unsafe
begin atomic
    select rag_internal.retry_job(c.who, c.ticket, retry_job.job_id) from rag_internal.caller c;
end;

comment on function rag.retry_job(bigint) is
    'Queues the dead letters of a job of the caller''s anew; how many.';
alter function rag.retry_job(bigint) owner to rag_owner;
revoke all on function rag.retry_job(bigint) from public;
grant execute on function rag.retry_job(bigint) to rag_writer;
