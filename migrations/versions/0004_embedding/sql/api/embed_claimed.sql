-- The second half of a worker's step, in a transaction of its own.
create or replace function rag.embed_claimed(claim_id uuid) returns integer
language sql volatile parallel unsafe
begin atomic
    select rag_internal.embed_claimed(c.who, c.ticket, embed_claimed.claim_id)
    from rag_internal.caller c;
end;

comment on function rag.embed_claimed(uuid) is
    'Embeds what rag.claim_job claimed; how many passages got their vector. A text that fails is '
    'tried again later, five times in all; where the model cannot be used, nothing is charged and '
    'its passages wait.';
alter function rag.embed_claimed(uuid) owner to rag_owner;
revoke all on function rag.embed_claimed(uuid) from public;
grant execute on function rag.embed_claimed(uuid) to rag_writer;
