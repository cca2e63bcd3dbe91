-- Ends a job before its time.
create or replace function rag.cancel_job(job_id bigint) returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.cancel_job(c.who, c.ticket, cancel_job.job_id) from rag_internal.caller c;
end;

comment on function rag.cancel_job(bigint) is
    'Ends a job of the caller''s: what is embedded stays, the other passages are given up '
    '(rag.dead_letter) until rag.retry_job(job_id) or rag.prepare_model(collection). false where '
    'it had ended.';
alter function rag.cancel_job(bigint) owner to rag_owner;
revoke all on function rag.cancel_job(bigint) from public;
grant execute on function rag.cancel_job(bigint) to rag_writer;
