-- The first half of a worker's step; commit after it.
create or replace function rag.claim_job(max_passages integer default 32) returns uuid
language sql volatile parallel unsafe
begin atomic
    select rag_internal.claim_job(c.who, c.ticket, claim_job.max_passages)
    from rag_internal.caller c;
end;

comment on function rag.claim_job(integer) is
    'Claims up to max_passages that wait for a vector, of jobs that the caller asked for (all, '
    'for who sees everything); null where none do. Commit, then call rag.embed_claimed; a claim '
    'that is never answered returns after 5 minutes.';
alter function rag.claim_job(integer) owner to rag_owner;
revoke all on function rag.claim_job(integer) from public;
grant execute on function rag.claim_job(integer) to rag_writer;
