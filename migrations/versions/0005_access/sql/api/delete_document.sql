-- Removes a document.
create or replace function rag.delete_document(document_id uuid) returns setof rag.removal
language sql volatile parallel unsafe
begin atomic
    select r.*
    from rag_internal.caller c,
         lateral rag_internal.delete_document(c.who, c.ticket, delete_document.document_id) r;
end;

comment on function rag.delete_document(uuid) is
    'Removes a document with its passages and vectors. No search finds it any more; its words '
    'leave the lexical index with the next merge, or rag.scrub(). P0002 where the caller sees '
    'none, 42501 where it may only read it.';
alter function rag.delete_document(uuid) owner to rag_owner;
revoke all on function rag.delete_document(uuid) from public;
grant execute on function rag.delete_document(uuid) to rag_writer;
