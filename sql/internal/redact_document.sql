-- A document as it is shown to a reader who may read its collection redacted only.
create or replace function rag_internal.redact_document(document rag_internal.document)
returns rag_internal.document
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _document rag_internal.document := document;
    _redaction rag_internal.redaction := rag_internal.redaction_of(
        document, rag_internal.redaction_rules(array[document.collection_id]));
    _rules rag_internal.redaction_rule[] := _redaction.rules;
begin
    _document.content := rag_internal.withhold(_rules, _redaction.kept);
    _document.source := rag_internal.withhold(
        _rules, rag_internal.redact_label(_redaction, document.source));
    _document.version := rag_internal.withhold(
        _rules, rag_internal.redact_label(_redaction, document.version));
    _document.title := rag_internal.withhold(
        _rules, rag_internal.redact_label(_redaction, document.title));
    _document.mime := rag_internal.withhold(
        _rules, rag_internal.redact_label(_redaction, document.mime));
    _document.language := rag_internal.withhold(
        _rules, rag_internal.redact_label(_redaction, document.language));
    _document.tags := rag_internal.redact_labels(_redaction, document.tags);
    _document.metadata := rag_internal.redact_json(_redaction, document.metadata);
    _document.attributes := rag_internal.attributes(_document);
    -- a guess at a short secret could be checked by it
    _document.content_hash := null;
    return _document;
end
$$;

comment on function rag_internal.redact_document(rag_internal.document) is
    'The document with all its texts redacted, and then checked once more; content_hash null.';
alter function rag_internal.redact_document(rag_internal.document) owner to rag_owner;
revoke all on function rag_internal.redact_document(rag_internal.document) from public;
