-- Ends a job before its time.
create or replace function rag.cancel_job(job_id bigint) returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.cancel_job(c.who, c.ticket, cancel_job.job_id) from rag_internal.caller c;
end;

comment on function rag.cancel_job(bigint) is
    'Ends a job of the caller''s: what is embedded stays, the other passages stay without a '
    'vector until rag.prepare_model(collection) asks for them again. false where it had ended.';
alter function rag.cancel_job(bigint) owner to rag_owner;
revoke all on function rag.cancel_job(bigint) from public;
grant execute on function rag.cancel_job(bigint) to rag_writer;
