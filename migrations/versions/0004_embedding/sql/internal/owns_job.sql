-- Whose jobs an identity works on, looks at and cancels.
create or replace function rag_internal.owns_job(
    job      rag_internal.job,
    identity rag_internal.identity
) returns boolean
language sql stable parallel safe
begin atomic
    select (identity).sees_everything
        or ((job).created_by = (identity).who
            and (job).role_oid = quote_ident((identity).who)::regrole);
end;

comment on function rag_internal.owns_job(rag_internal.job, rag_internal.identity) is
    'Whether the identity asked for the job (by its name and the role that now has it) or sees '
    'everything.';
alter function rag_internal.owns_job(rag_internal.job, rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.owns_job(rag_internal.job, rag_internal.identity) from public;
