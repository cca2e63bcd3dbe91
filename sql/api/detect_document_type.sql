-- Says what kind of text a document is: what the strategy auto goes by.
create or replace function rag.detect_document_type(
    content text,
    source  text default null,
    mime    text default null
) returns text
language sql stable parallel unsafe
begin atomic
    select rag_internal.detect_document_type(
        c.who, c.ticket, detect_document_type.content, detect_document_type.source,
        detect_document_type.mime)
    from rag_internal.caller c;
end;

comment on function rag.detect_document_type(text, text, text) is
    'code, prose, markdown or structured (JSON, YAML): by the ending of source, then a telling '
    'media type, then the text itself. Blank content is 22023.';
alter function rag.detect_document_type(text, text, text) owner to rag_owner;
revoke all on function rag.detect_document_type(text, text, text) from public;
grant execute on function rag.detect_document_type(text, text, text) to rag_reader;
