-- Metadata: its strings, the names of its members, and numbers, which become strings where they are
-- replaced. Read as a row of tokens, so that no depth is too deep.
create or replace function rag_internal.redact_json(redaction rag_internal.redaction, input jsonb)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _result text;
begin
    select string_agg(
               case when t.value is null
                         or t.value = rag_internal.redact_label(redaction, t.value) then t.token
                    else to_jsonb(rag_internal.withhold(
                             (redaction).rules,
                             rag_internal.redact_label(redaction, t.value)))::text end,
               '' order by t.n)
    into _result
    from (select m.found[1] as token, m.n,
                 case when m.found[1] ~ '^["0-9-]' then m.found[1]::jsonb #>> '{}' end as value
          from regexp_matches(
                   input::text, '"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[^"0-9-]+', 'g')
               with ordinality m (found, n)) t;
    return case when exists (select from unnest((redaction).rules) r
                             where _result collate "default" ~ r.pattern)
                then '{}' else _result::jsonb end;
end
$$;

comment on function rag_internal.redact_json(rag_internal.redaction, jsonb) is
    'The document with its scalars and keys redacted; {} where a rule still matches in it as it is '
    'written.';
alter function rag_internal.redact_json(rag_internal.redaction, jsonb) owner to rag_owner;
revoke all on function rag_internal.redact_json(rag_internal.redaction, jsonb) from public;
