-- One document, by its id.
create or replace function rag.get_document(document_id uuid) returns setof rag.document
language sql stable parallel restricted
begin atomic
    select r.*
    from rag_internal.caller c,
         lateral rag_internal.readable_documents(c.who, c.ticket, get_document.document_id) r
    where get_document.document_id is not null;
end;

comment on function rag.get_document(uuid) is
    'The document, or no row where the caller may not read it or there is none. By primary key, '
    'where rag.document reads all that the caller may read.';
alter function rag.get_document(uuid) owner to rag_owner;
revoke all on function rag.get_document(uuid) from public;
grant execute on function rag.get_document(uuid) to rag_reader;
