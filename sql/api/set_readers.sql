-- Says who reads a collection or documents, in place of what was said before.
create or replace function rag.set_readers(
    collection     text    default null,
    readers        text[]  default null,
    document_id    uuid    default null,
    security_level integer default null,
    document_ids   uuid[]  default '{}'
) returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.set_readers(
        c.who, c.ticket, set_readers.collection, set_readers.readers,
        array_remove(set_readers.document_ids || set_readers.document_id, null),
        set_readers.security_level)
    from rag_internal.caller c;
end;

comment on function rag.set_readers(text, text[], uuid, integer, uuid[]) is
    'Exactly these readers (role:NAME, user:NAME, group:NAME, public) and this security level, of '
    'a collection (its owner reads it too) or of documents. Null leaves either as it is; both null '
    'bring documents back under their collection. Whether that changed something.';
alter function rag.set_readers(text, text[], uuid, integer, uuid[]) owner to rag_owner;
revoke all on function rag.set_readers(text, text[], uuid, integer, uuid[]) from public;
grant execute on function rag.set_readers(text, text[], uuid, integer, uuid[]) to rag_writer;
