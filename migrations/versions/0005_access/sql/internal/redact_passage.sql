-- A passage without what is replaced in its document: of a match that reaches over its edge, the
-- part within it.
create or replace function rag_internal.redact_passage(
    redaction    rag_internal.redaction,
    content      text,
    start_offset integer
) returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _length integer := length(content);
    _result text := '';
    _done integer := 0;
    _span rag_internal.redacted_span;
begin
    for _span in
        select s.* from unnest((redaction).spans) s
        where s.past > start_offset and s.first < start_offset + _length
        order by s.first
    loop
        _result := _result
                || substr(content, _done + 1, greatest(_span.first - start_offset, 0) - _done)
                || _span.replacement;
        _done := least(_span.past - start_offset, _length);
    end loop;
    -- what was no match in the document may be one where the passage is cut
    return rag_internal.redact((redaction).rules, _result || substr(content, _done + 1));
end
$$;

comment on function rag_internal.redact_passage(rag_internal.redaction, text, integer) is
    'The content of a passage that begins at start_offset of the document, redacted.';
alter function rag_internal.redact_passage(rag_internal.redaction, text,
    integer) owner to rag_owner;
revoke all on function rag_internal.redact_passage(rag_internal.redaction, text,
    integer) from public;
