-- Lets somebody read a collection or a document.
create or replace function rag.grant_read(
    collection  text default null,
    reader      text default null,
    document_id uuid default null
) returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.change_readers(c.who, c.ticket, grant_read.collection, grant_read.reader,
                                       grant_read.document_id, true)
    from rag_internal.caller c;
end;

comment on function rag.grant_read(text, text, uuid) is
    'Adds a reader (role:NAME or public) to a collection, or to one document by document_id; '
    'whether that changed something. On a collection it reaches all documents that have no readers '
    'of their own, at the cost of one row. A document granted by itself keeps readers of its own '
    'from then on.';
alter function rag.grant_read(text, text, uuid) owner to rag_owner;
revoke all on function rag.grant_read(text, text, uuid) from public;
grant execute on function rag.grant_read(text, text, uuid) to rag_writer;
