-- Removes a dataset.
create or replace function rag.drop_dataset(name text) returns void
language sql volatile parallel unsafe
begin atomic
    select rag_internal.drop_dataset(c.who, c.ticket, drop_dataset.name)
    from rag_internal.caller c;
end;

comment on function rag.drop_dataset(text) is
    'Removes a dataset and what evaluations by it found. P0002 where the caller has none.';
alter function rag.drop_dataset(text) owner to rag_owner;
revoke all on function rag.drop_dataset(text) from public;
grant execute on function rag.drop_dataset(text) to rag_writer;
