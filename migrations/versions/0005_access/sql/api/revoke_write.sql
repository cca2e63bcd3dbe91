-- Ends somebody's writing to a collection.
create or replace function rag.revoke_write(
    collection text,
    writer     text   default null,
    writers    text[] default '{}'
) returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.change_writers(
        c.who, c.ticket, revoke_write.collection,
        array_remove(revoke_write.writers || revoke_write.writer, null), false)
    from rag_internal.caller c;
end;

comment on function rag.revoke_write(text, text, text[]) is
    'Removes writers from a collection; whether that changed something. An ingest that has begun '
    'goes through; the next one does not.';
alter function rag.revoke_write(text, text, text[]) owner to rag_owner;
revoke all on function rag.revoke_write(text, text, text[]) from public;
grant execute on function rag.revoke_write(text, text, text[]) to rag_writer;
