-- Takes texts out of what went wrong. An answer of a provider can quote what it was sent.
create or replace function rag_internal.erase_errors(
    identity rag_internal.identity,
    job_ids  bigint[],
    pattern  text,
    kind     text
) returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _erased constant text := '(erased)';
    _all boolean := (identity).sees_everything;
    _changed bigint;
    _count bigint := 0;
begin
    if _all then
        update rag_internal.embedding_task t set error = _erased
        where rag_internal.matches_pattern(t.error, pattern, erase_errors.kind);
        get diagnostics _count = row_count;
        update rag_internal.provider_pause p set reason = _erased
        where rag_internal.matches_pattern(p.reason, pattern, erase_errors.kind);
        get diagnostics _changed = row_count;
        _count := _count + _changed;
    end if;
    perform from rag_internal.job j
    where j.error is not null
      and (j.job_id = any (job_ids)
           or (_all and rag_internal.matches_pattern(j.error, pattern, erase_errors.kind)))
    order by j.job_id
    for no key update;
    update rag_internal.job j
    set error = (select max(t.error) from rag_internal.embedding_task t where t.job_id = j.job_id)
    where j.error is not null
      and (j.job_id = any (job_ids)
           or (_all and rag_internal.matches_pattern(j.error, pattern, erase_errors.kind)));
    get diagnostics _changed = row_count;
    return _count + _changed;
end
$$;

comment on function rag_internal.erase_errors(rag_internal.identity, bigint[], text, text) is
    'Errors of these jobs become those of the tasks that they still have; for who sees everything, '
    'errors that match go, too. How many.';
alter function rag_internal.erase_errors(rag_internal.identity, bigint[], text,
    text) owner to rag_owner;
revoke all on function rag_internal.erase_errors(rag_internal.identity, bigint[], text,
    text) from public;
