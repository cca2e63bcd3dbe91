-- One step of rag.maintain(), for schedulers that keep their own transactions.
create or replace function rag.maintain_step() returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.maintain_step(c.who, c.ticket) from rag_internal.caller c;
end;

comment on function rag.maintain_step() is
    'Builds or merges one segment of the lexical index; false when there was nothing left to do. '
    'rag.maintain() calls it until then.';
alter function rag.maintain_step() owner to rag_owner;
revoke all on function rag.maintain_step() from public;
grant execute on function rag.maintain_step() to rag_writer;
