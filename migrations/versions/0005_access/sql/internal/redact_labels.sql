-- Headings, or tags.
create or replace function rag_internal.redact_labels(
    redaction rag_internal.redaction,
    labels    text[],
    is_quoted boolean default false
) returns text[]
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    return case when labels is not null then array(
        select rag_internal.withhold((redaction).rules,
                                     rag_internal.redact_label(redaction, l.label, is_quoted))
        from unnest(labels) with ordinality l (label, n)
        order by l.n) end;
end
$$;

comment on function rag_internal.redact_labels(rag_internal.redaction, text[], boolean) is
    'Each label as rag_internal.redact_label, checked twice.';
alter function rag_internal.redact_labels(rag_internal.redaction, text[],
    boolean) owner to rag_owner;
revoke all on function rag_internal.redact_labels(rag_internal.redaction, text[],
    boolean) from public;
