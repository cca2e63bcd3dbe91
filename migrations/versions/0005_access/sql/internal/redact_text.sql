-- A text that is kept for others to read, such as a query in the log.
create or replace function rag_internal.redact_text(collection_ids bigint[], input text)
returns text
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select rag_internal.withhold(r.rules, rag_internal.redact(r.rules, input))
    from (select rag_internal.redaction_rules(collection_ids) as rules) r
$$;

comment on function rag_internal.redact_text(bigint[], text) is
    'The text by all rules of these collections (null: of all), checked twice.';
alter function rag_internal.redact_text(bigint[], text) owner to rag_owner;
revoke all on function rag_internal.redact_text(bigint[], text) from public;
