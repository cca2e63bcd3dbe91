-- A title, a heading, a tag, a string of metadata: what goes with a document beside its text. It
-- may repeat a part of a longer match in the text, and match nothing by itself.
create or replace function rag_internal.redact_label(
    redaction rag_internal.redaction,
    label     text,
    is_quoted boolean default false
) returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _result text := rag_internal.redact((redaction).rules, label);
    _letters text;
begin
    if (redaction).letters is not null then
        _letters := rag_internal.letters_of(_result);
        if length(_letters) > 3 and strpos((redaction).kept_letters, _letters) = 0
           and (is_quoted
                or strpos((redaction).letters, rag_internal.letters_of(label)) > 0) then
            return (redaction).rules[1].replacement;
        end if;
    end if;
    return _result;
end
$$;

comment on function rag_internal.redact_label(rag_internal.redaction, text, boolean) is
    'The label redacted; replaced as a whole where it stands in the document and what is left of '
    'it is not in the redacted document. is_quoted: it comes out of the document, so the former is '
    'taken for granted.';
alter function rag_internal.redact_label(rag_internal.redaction, text, boolean) owner to rag_owner;
revoke all on function rag_internal.redact_label(rag_internal.redaction, text, boolean) from public;
