-- Who may do what with a collection or a document.
create or replace function rag.list_readers(
    collection  text default null,
    document_id uuid default null
) returns setof rag.reader_grant
language sql volatile parallel unsafe
begin atomic
    select r.*
    from rag_internal.caller c,
         lateral rag_internal.list_readers(c.who, c.ticket, list_readers.collection,
                                           list_readers.document_id) r;
end;

comment on function rag.list_readers(text, uuid) is
    'To the owner of the collection: who owns it, reads it by default, writes to it and sees it '
    'unredacted; or who reads that document. A role that no longer exists is marked (gone).';
alter function rag.list_readers(text, uuid) owner to rag_owner;
revoke all on function rag.list_readers(text, uuid) from public;
grant execute on function rag.list_readers(text, uuid) to rag_writer;
