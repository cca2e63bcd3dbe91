-- What the rules of its collection do to the text of a document. The whole text is looked at, since
-- a match may be longer than any window around a passage, and may depend on what stands before it.
create or replace function rag_internal.redaction_of(
    document rag_internal.document,
    rules    rag_internal.redaction_rule[]
) returns rag_internal.redaction
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _redaction rag_internal.redaction;
begin
    _redaction.rules := array(
        select r from unnest(rules) r where r.collection_id = (document).collection_id);
    _redaction.spans := rag_internal.redacted_spans(_redaction.rules, (document).content);
    _redaction.kept := rag_internal.cut_spans((document).content, _redaction.spans);
    if _redaction.spans <> '{}' then
        _redaction.letters := rag_internal.letters_of((document).content);
        _redaction.kept_letters := rag_internal.letters_of(_redaction.kept);
    end if;
    return _redaction;
end
$$;

comment on function rag_internal.redaction_of(rag_internal.document,
    rag_internal.redaction_rule[]) is
    'Those of the rules that are of its collection, and what they replace in content.';
alter function rag_internal.redaction_of(rag_internal.document,
    rag_internal.redaction_rule[]) owner to rag_owner;
revoke all on function rag_internal.redaction_of(rag_internal.document,
    rag_internal.redaction_rule[]) from public;
