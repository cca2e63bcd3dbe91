-- Whose jobs an identity works on, looks at and cancels.
create or replace function rag_internal.owns_job(
    job      rag_internal.job,
    identity rag_internal.identity
) returns boolean
language sql stable parallel safe
begin atomic
    select rag_internal.owns_work((job).created_by, (job).role_oid, (job).reader, (job).tenant,
                                  identity);
end;

comment on function rag_internal.owns_job(rag_internal.job, rag_internal.identity) is
    'Whether the identity asked for the job or sees everything.';
alter function rag_internal.owns_job(rag_internal.job, rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.owns_job(rag_internal.job, rag_internal.identity) from public;
