-- What a claim still holds after its vectors were stored: texts that failed are charged, and tried
-- again later and later; what is no fault of theirs is given back as it was. What somebody else is
-- deleting is left to them: who waits for rows while it holds others ends in a deadlock.
create or replace function rag_internal.record_failures(
    claim_id  uuid,
    model     rag_internal.model,
    chunk_ids bigint[],
    contents  text[],
    outcomes  rag_internal.embedded_text[]
) returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _attempts constant integer := 5;
    _fault rag_internal.embedded_text;
    _asked double precision;
begin
    update rag_internal.embedding_task t
    set claim_id = null,
        attempts = t.attempts - case when f.is_charged then 0 else 1 end,
        is_dead = f.is_charged and t.attempts >= _attempts,
        error = coalesce(f.error, t.error),
        failed_at = case when f.is_charged then clock_timestamp() else t.failed_at end,
        run_after = clock_timestamp()
                  + case when f.is_charged
                         then '5 seconds'::interval * 2 ^ (t.attempts - 1) * (0.5 + random())
                         -- somebody holds its document, perhaps for long
                         when f.is_held then '15 seconds'::interval * (0.5 + random())
                         else '0' end
    from (select g.model_id, g.chunk_id, o.error,
                 o.error is not null and not o.is_provider_fault as is_charged,
                 o.v is not null and i.content = coalesce(c.embed_text, c.content) as is_held
          from rag_internal.embedding_task g
          join rag_internal.chunk c using (chunk_id)
          join unnest(chunk_ids, contents) with ordinality i (chunk_id, content, number)
            on i.chunk_id = g.chunk_id
          left join unnest(outcomes) o on o.number = i.number
          where g.claim_id = record_failures.claim_id
          for update of g skip locked) f
    where t.model_id = f.model_id and t.chunk_id = f.chunk_id;

    select o.* into _fault
    from unnest(outcomes) o
    where o.is_provider_fault
    order by o.retry_after desc nulls last
    limit 1;
    if found then
        -- to wait for no time is not to be believed
        _asked := case when _fault.retry_after < 1 then 1 else _fault.retry_after end;
        insert into rag_internal.provider_pause as p (model_id, until, failures, reason)
        values ((model).model_id,
                clock_timestamp() + '1 second'::interval
                * coalesce(_asked, 5 * (0.5 + random())),
                1, _fault.error)
        on conflict (model_id) do update
        set failures = p.failures + 1, reason = excluded.reason,
            -- the wait that was asked for, else twice as long each time, up to five minutes
            until = clock_timestamp() + '1 second'::interval
                  * coalesce(_asked,
                             least(5 * 2 ^ least(p.failures, 6), 300) * (0.5 + random()))
        where p.until <= clock_timestamp() or _fault.retry_after is not null;
    end if;
end
$$;

comment on function rag_internal.record_failures(uuid, rag_internal.model, bigint[], text[],
    rag_internal.embedded_text[]) is
    'Gives back what a claim holds: text faults are charged (backoff 5 s doubling, jittered; dead '
    'after 5), a provider''s fault pauses its model and charges nothing.';
alter function rag_internal.record_failures(uuid, rag_internal.model, bigint[], text[],
    rag_internal.embedded_text[]) owner to rag_owner;
revoke all on function rag_internal.record_failures(uuid, rag_internal.model, bigint[], text[],
    rag_internal.embedded_text[]) from public;
