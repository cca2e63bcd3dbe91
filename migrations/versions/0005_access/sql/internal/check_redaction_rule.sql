-- Refuses a rule that could not be applied, or after which the second check would withhold whole
-- texts. The collection is locked, so its other rules stay as they are.
create or replace function rag_internal.check_redaction_rule(rule rag_internal.redaction_rule)
returns void
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _others rag_internal.redaction_rule[] := array(
        select r
        from unnest(rag_internal.redaction_rules(array[(rule).collection_id])) r
        where r.name <> (rule).name);
    _pattern text;
    _problem text;
    _clash text;
begin
    perform rag_internal.require_visible_text('name', (rule).name);
    _problem := case
        when length((rule).name) > 200 then 'the name of a rule has at most 200 characters'
        when num_nonnulls((rule).pattern, (rule).detector) <> 1
            then 'give either a pattern or a detector'
        when (rule).replacement is null then 'replacement is null'
        when length((rule).replacement) > 200 then 'replacement has more than 200 characters' end;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'For example: '
                      'rag.add_redaction_rule(''docs'', ''mail'', detector => ''email'').';
    end if;
    if (rule).pattern is not null then
        perform rag_internal.check_pattern((rule).pattern);
    end if;
    -- PostgreSQL keeps 32 compiled expressions for a session; to compile one takes long
    if cardinality(_others) >= 30 then
        raise exception using
            errcode = '54000',
            message = 'a collection has at most 30 redaction rules',
            hint    = 'Join some: a|b matches what a or b matches.';
    end if;

    _pattern := coalesce((rule).pattern, rag_internal.detector_pattern((rule).detector));
    select t.name into _clash
    from (select (rule).name, (rule).replacement, _pattern as pattern
          union all
          select r.name, (rule).replacement, r.pattern from unnest(_others) r
          union all
          select r.name, r.replacement, _pattern from unnest(_others) r) t
    where t.replacement collate "default" ~ t.pattern
    limit 1;
    if found then
        raise exception using
            errcode = '22023',
            message = format('a rule would match its own replacement or that of another: "%s"',
                             _clash),
            hint    = 'Give a replacement that no rule of the collection matches.';
    end if;
end
$$;

comment on function rag_internal.check_redaction_rule(rag_internal.redaction_rule) is
    '22023 for a rule that is malformed, or that does not go with the others of its collection; '
    '54000 for the 31st.';
alter function rag_internal.check_redaction_rule(rag_internal.redaction_rule) owner to rag_owner;
revoke all on function rag_internal.check_redaction_rule(rag_internal.redaction_rule) from public;
