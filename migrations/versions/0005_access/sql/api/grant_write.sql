-- Lets somebody write documents to a collection.
create or replace function rag.grant_write(
    collection text,
    writer     text   default null,
    writers    text[] default '{}'
) returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.change_writers(
        c.who, c.ticket, grant_write.collection,
        array_remove(grant_write.writers || grant_write.writer, null), true)
    from rag_internal.caller c;
end;

comment on function rag.grant_write(text, text, text[]) is
    'Lets writers (role:NAME, user:NAME, group:NAME, public) ingest, update and delete documents '
    'of a collection; whether that changed something. They need rag_writer, too. Writing is not '
    'reading, sharing or changing the collection; readers that a writer gives its own document '
    'count.';
alter function rag.grant_write(text, text, text[]) owner to rag_owner;
revoke all on function rag.grant_write(text, text, text[]) from public;
grant execute on function rag.grant_write(text, text, text[]) to rag_writer;
