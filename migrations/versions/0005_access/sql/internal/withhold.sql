-- The second check: a text that a rule still matches is not shown at all.
create or replace function rag_internal.withhold(rules rag_internal.redaction_rule[], input text)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    return coalesce((select r.replacement from unnest(rules) r
                     where input collate "default" ~ r.pattern
                     order by r.name limit 1), input);
end
$$;

comment on function rag_internal.withhold(rag_internal.redaction_rule[], text) is
    'The text, or the replacement of the first rule that matches in it.';
alter function rag_internal.withhold(rag_internal.redaction_rule[], text) owner to rag_owner;
revoke all on function rag_internal.withhold(rag_internal.redaction_rule[], text) from public;
