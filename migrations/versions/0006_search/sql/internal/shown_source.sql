-- The source of a document as a reader may see it.
create or replace function rag_internal.shown_source(
    document rag_internal.document,
    rules    rag_internal.redaction_rule[]
) returns text
language sql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
    select case when r.redaction is null then (document).source
                else rag_internal.withhold(
                    (r.redaction).rules,
                    rag_internal.redact_label(r.redaction, (document).source)) end
    from (select case when exists (select from unnest(rules) u
                                   where u.collection_id = (document).collection_id)
                      then rag_internal.redaction_of(document, rules) end as redaction) r
$$;

comment on function rag_internal.shown_source(rag_internal.document,
    rag_internal.redaction_rule[]) is
    'Redacted by those of the rules that are of its collection.';
alter function rag_internal.shown_source(rag_internal.document, rag_internal.redaction_rule[]) owner
    to rag_owner;
revoke all on function rag_internal.shown_source(rag_internal.document,
    rag_internal.redaction_rule[]) from public;
