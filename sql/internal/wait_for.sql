-- Waits for a job, looking again and again: each look has a snapshot of its own.
create or replace function rag_internal.wait_for(
    who     name,
    ticket  bytea,
    job_id  bigint,
    timeout interval
) returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _until timestamptz := clock_timestamp() + coalesce(timeout, '60 seconds');
    _pause double precision := 0.02;
    _status text;
begin
    if wait_for.job_id is null then
        return 'done';  -- an ingest that left nothing to embed
    end if;
    perform rag_internal.require_read_committed('rag.wait_for');
    perform rag_internal.own_job(_identity, wait_for.job_id);
    if exists (select from rag_internal.job j
               where j.job_id = wait_for.job_id
                 -- made in this transaction, or in a savepoint of it
                 and j.created_at = now()
                 and j.status = 'queued') then
        raise exception using
            errcode = '55000',
            message = format('job %s was made in this transaction: nobody sees it yet',
                             wait_for.job_id),
            hint    = 'Commit, then wait.';
    end if;
    loop
        select case when j.status in ('queued', 'running')
                         and not exists (select from rag_internal.embedding_task t
                                         where t.job_id = j.job_id and not t.is_dead)
                    then case when exists (select from rag_internal.embedding_task t
                                           where t.job_id = j.job_id)
                              then 'failed' else 'done' end
                    else j.status end
        into _status
        from rag_internal.job j where j.job_id = wait_for.job_id;
        exit when coalesce(_status, 'cancelled') not in ('queued', 'running')
               or clock_timestamp() >= _until;
        perform pg_sleep(least(_pause,
                               extract(epoch from _until - clock_timestamp())));
        _pause := least(_pause * 1.5, 1);
    end loop;
    return coalesce(_status, 'cancelled');
end
$$;

comment on function rag_internal.wait_for(name, bytea, bigint, interval) is
    'See rag.wait_for.';
alter function rag_internal.wait_for(name, bytea, bigint, interval) owner to rag_owner;
revoke all on function rag_internal.wait_for(name, bytea, bigint, interval) from public;
grant execute on function rag_internal.wait_for(name, bytea, bigint, interval) to rag_reader;
