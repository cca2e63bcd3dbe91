-- Tells a caller what kind of text a document is.
create or replace function rag_internal.detect_document_type(
    who     name,
    ticket  bytea,
    content text,
    source  text,
    mime    text
) returns text
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
begin
    perform rag_internal.authenticate(who, ticket);
    perform rag_internal.require_visible_text('content', detect_document_type.content);
    return rag_internal.document_type(detect_document_type.content, detect_document_type.source,
                                      detect_document_type.mime);
end
$$;

comment on function rag_internal.detect_document_type(name, bytea, text, text, text) is
    'See rag.detect_document_type.';
alter function rag_internal.detect_document_type(name, bytea, text, text, text) owner to rag_owner;
revoke all on function rag_internal.detect_document_type(name, bytea, text, text, text) from public;
grant execute on function rag_internal.detect_document_type(name, bytea, text, text,
    text) to rag_reader;
