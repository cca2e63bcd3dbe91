-- Hands passages to a worker. Who commits this claim may embed for minutes without a lock on
-- anything. What was tried before goes alone, so that one text cannot take others with it.
create or replace function rag_internal.claim_job(who name, ticket bytea, max_passages integer)
returns uuid
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
-- in the order of the index, before the table has statistics too
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _lease constant interval := '5 minutes';
    _claim_id uuid := gen_random_uuid();
    _first rag_internal.embedding_task;
    _job_ids bigint[];
begin
    if max_passages is null or max_passages < 1 then
        raise exception using
            errcode = '22023',
            message = format('max_passages is %s, but must be 1 or more',
                             coalesce(max_passages::text, 'null')),
            hint    = 'A claim of 32 is embedded in a few seconds.';
    end if;
    perform rag_internal.require_read_committed('rag.claim_job');
    loop
        select t.* into _first
        from rag_internal.embedding_task t
        join rag_internal.job j using (job_id)
        where not t.is_dead and t.run_after <= clock_timestamp()
          and rag_internal.owns_job(j, _identity)
          and not exists (select from rag_internal.provider_pause p
                          where p.model_id = t.model_id and p.until > clock_timestamp())
        order by t.run_after
        limit 1
        for update of t skip locked;
        exit when not found or _first.attempts < 5;
        perform rag_internal.bury_abandoned(_first);
    end loop;
    if _first.chunk_id is null then
        perform rag_internal.finish_jobs(array(
            select j.job_id from rag_internal.job j
            where j.status in ('queued', 'running') and rag_internal.owns_job(j, _identity)
              and not exists (select from rag_internal.embedding_task t
                              where t.job_id = j.job_id and not t.is_dead)));
        return null;
    end if;

    with mine as materialized (
        select t.model_id, t.chunk_id
        from rag_internal.embedding_task t
        join rag_internal.job j using (job_id)
        where not t.is_dead and t.run_after <= clock_timestamp()
          and t.model_id = _first.model_id and t.attempts = 0 and _first.attempts = 0
          and t.chunk_id <> _first.chunk_id
          and rag_internal.owns_job(j, _identity)
        order by t.run_after
        limit max_passages - 1
        for update of t skip locked
    ), claimed as (
        update rag_internal.embedding_task t
        set claim_id = _claim_id, attempts = t.attempts + 1,
            run_after = clock_timestamp() + _lease
        from (select m.chunk_id from mine m union all select _first.chunk_id) c
        where t.model_id = _first.model_id and t.chunk_id = c.chunk_id
        returning t.job_id
    )
    select array_agg(distinct c.job_id) into _job_ids from claimed c;
    perform from rag_internal.job j
    where j.job_id = any (_job_ids) and j.status = 'queued'
    order by j.job_id
    for no key update;
    update rag_internal.job j set status = 'running'
    where j.job_id = any (_job_ids) and j.status = 'queued';
    return _claim_id;
end
$$;

comment on function rag_internal.claim_job(name, bytea, integer) is
    'See rag.claim_job.';
alter function rag_internal.claim_job(name, bytea, integer) owner to rag_owner;
revoke all on function rag_internal.claim_job(name, bytea, integer) from public;
grant execute on function rag_internal.claim_job(name, bytea, integer) to rag_writer;
