-- Waits until a job has ended.
create or replace function rag.wait_for(job_id bigint, timeout interval default '60 seconds')
returns text
language sql volatile parallel unsafe
begin atomic
    select rag_internal.wait_for(c.who, c.ticket, wait_for.job_id, wait_for.timeout)
    from rag_internal.caller c;
end;

comment on function rag.wait_for(bigint, interval) is
    'The status of the job once it has ended (done, failed, cancelled; null: done), or after the '
    'timeout (queued, running). At read committed, and in a transaction after the one that made '
    'the job; who would rather not hold a connection LISTENs on the channel ragsql_job_ and its '
    'id.';
alter function rag.wait_for(bigint, interval) owner to rag_owner;
revoke all on function rag.wait_for(bigint, interval) from public;
grant execute on function rag.wait_for(bigint, interval) to rag_reader;
