-- Ends somebody's reading of a collection or of documents.
create or replace function rag.revoke_read(
    collection   text   default null,
    reader       text   default null,
    document_id  uuid   default null,
    readers      text[] default '{}',
    document_ids uuid[] default '{}'
) returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.change_readers(
        c.who, c.ticket, revoke_read.collection,
        array_remove(revoke_read.readers || revoke_read.reader, null),
        array_remove(revoke_read.document_ids || revoke_read.document_id, null), false)
    from rag_internal.caller c;
end;

comment on function rag.revoke_read(text, text, uuid, text[], uuid[]) is
    'Removes readers from a collection, or from documents by document_id or document_ids; whether '
    'that changed something. It holds from the next statement on, in every session. Documents with '
    'readers of their own are not touched by a collection.';
alter function rag.revoke_read(text, text, uuid, text[], uuid[]) owner to rag_owner;
revoke all on function rag.revoke_read(text, text, uuid, text[], uuid[]) from public;
grant execute on function rag.revoke_read(text, text, uuid, text[], uuid[]) to rag_writer;
