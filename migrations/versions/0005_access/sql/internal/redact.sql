-- A text by itself, without what rules match in it.
create or replace function rag_internal.redact(rules rag_internal.redaction_rule[], input text)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    return rag_internal.cut_spans(input, rag_internal.redacted_spans(rules, input));
end
$$;

comment on function rag_internal.redact(rag_internal.redaction_rule[], text) is
    'The text with each match replaced.';
alter function rag_internal.redact(rag_internal.redaction_rule[], text) owner to rag_owner;
revoke all on function rag_internal.redact(rag_internal.redaction_rule[], text) from public;
