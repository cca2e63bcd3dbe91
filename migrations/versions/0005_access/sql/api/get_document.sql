-- One document, by its id.
create or replace function rag.get_document(document_id uuid, token text default null)
returns setof rag.document
language sql stable parallel unsafe
begin atomic
    select r.*
    from rag_internal.caller c,
         lateral rag_internal.readable_documents(c.who, c.ticket, get_document.document_id,
                                                 get_document.token) r
    where get_document.document_id is not null;
end;

comment on function rag.get_document(uuid, text) is
    'The document, or no row where the caller may not read it or there is none. By primary key, '
    'where rag.document reads all that the caller may read. Where redaction rules hold for the '
    'caller, its texts are redacted and content_hash is null.';
alter function rag.get_document(uuid, text) owner to rag_owner;
revoke all on function rag.get_document(uuid, text) from public;
grant execute on function rag.get_document(uuid, text) to rag_reader;
