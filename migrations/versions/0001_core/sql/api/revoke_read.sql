-- Ends somebody's reading of a collection or a document.
create or replace function rag.revoke_read(
    collection  text default null,
    reader      text default null,
    document_id uuid default null
) returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.change_readers(c.who, c.ticket, revoke_read.collection, revoke_read.reader,
                                       revoke_read.document_id, false)
    from rag_internal.caller c;
end;

comment on function rag.revoke_read(text, text, uuid) is
    'Removes a reader from a collection, or from one document by document_id; whether that changed '
    'something. It holds from the next statement on, in every session. Documents with readers of '
    'their own are not touched by a collection.';
alter function rag.revoke_read(text, text, uuid) owner to rag_owner;
revoke all on function rag.revoke_read(text, text, uuid) from public;
grant execute on function rag.revoke_read(text, text, uuid) to rag_writer;
