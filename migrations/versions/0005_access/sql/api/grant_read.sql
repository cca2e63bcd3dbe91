-- Lets somebody read a collection or documents.
create or replace function rag.grant_read(
    collection   text   default null,
    reader       text   default null,
    document_id  uuid   default null,
    readers      text[] default '{}',
    document_ids uuid[] default '{}'
) returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.change_readers(
        c.who, c.ticket, grant_read.collection,
        array_remove(grant_read.readers || grant_read.reader, null),
        array_remove(grant_read.document_ids || grant_read.document_id, null), true)
    from rag_internal.caller c;
end;

comment on function rag.grant_read(text, text, uuid, text[], uuid[]) is
    'Adds readers (role:NAME, user:NAME, group:NAME or public) to a collection, or to documents by '
    'document_id or document_ids; whether that changed something. On a collection it reaches all '
    'documents that have no readers of their own, at the cost of a row. A document granted by '
    'itself keeps readers of its own from then on; rag.set_readers undoes that. Users and groups '
    'are those of the collection''s tenant.';
alter function rag.grant_read(text, text, uuid, text[], uuid[]) owner to rag_owner;
revoke all on function rag.grant_read(text, text, uuid, text[], uuid[]) from public;
grant execute on function rag.grant_read(text, text, uuid, text[], uuid[]) to rag_writer;
