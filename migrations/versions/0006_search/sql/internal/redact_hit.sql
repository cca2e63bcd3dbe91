-- A hit as it is shown to a reader who may read its collection redacted only. Offsets, and with
-- them the citation, stay those of the original.
create or replace function rag_internal.redact_hit(
    hit          rag.hit,
    redaction    rag_internal.redaction,
    content_hash bytea
) returns rag.hit
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _hit rag.hit := hit;
    _rules rag_internal.redaction_rule[] := (redaction).rules;
begin
    _hit.content := rag_internal.redact_passage(redaction, hit.content, hit.start_offset);
    _hit.expanded := rag_internal.redact_passage(redaction, hit.expanded, hit.expanded_start);
    _hit.source := rag_internal.redact_label(redaction, hit.source);
    _hit.version := rag_internal.redact_label(redaction, hit.version);
    _hit.title := rag_internal.redact_label(redaction, hit.title);
    _hit.kind := rag_internal.redact_label(redaction, hit.kind);
    _hit.heading := rag_internal.redact_labels(redaction, hit.heading, true);
    _hit.metadata := rag_internal.redact_json(redaction, hit.metadata);
    _hit.citation := rag_internal.citation(hit.document_id, hit.chunk_index, content_hash,
                                           hit.content, hit.start_offset, hit.end_offset, true);

    _hit.content := rag_internal.withhold(_rules, _hit.content);
    if _hit.content <> hit.content then
        -- marks within a match would hide it from the rules, and tell which of its words was asked
        _hit.highlight := null;
        _hit.matches := null;
    end if;
    _hit.expanded := rag_internal.withhold(_rules, _hit.expanded);
    _hit.source := rag_internal.withhold(_rules, _hit.source);
    _hit.version := rag_internal.withhold(_rules, _hit.version);
    _hit.title := rag_internal.withhold(_rules, _hit.title);
    _hit.kind := rag_internal.withhold(_rules, _hit.kind);
    return _hit;
end
$$;

comment on function rag_internal.redact_hit(rag.hit, rag_internal.redaction, bytea) is
    'The hit with all its texts redacted, and then checked once more.';
alter function rag_internal.redact_hit(rag.hit, rag_internal.redaction, bytea) owner to rag_owner;
revoke all on function rag_internal.redact_hit(rag.hit, rag_internal.redaction, bytea) from public;
