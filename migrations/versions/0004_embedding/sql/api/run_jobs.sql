-- Works the queue from SQL: for schedulers, and for who runs no worker.
create or replace procedure rag.run_jobs(max_passages integer default null)
language plpgsql
as $$
declare
    _claim_id uuid;
    _done integer := 0;
begin
    while max_passages is null or _done < max_passages loop
        _claim_id := rag.claim_job(least(32, max_passages - _done));
        commit;
        exit when _claim_id is null;
        _done := _done + greatest(rag.embed_claimed(_claim_id), 1);
        commit;
    end loop;
end
$$;

comment on procedure rag.run_jobs(integer) is
    'Embeds up to max_passages that wait (null: until none does), for jobs that the caller asked '
    'for; all, for who sees everything. It commits as it goes, so call it outside a transaction.';
alter procedure rag.run_jobs(integer) owner to rag_owner;
revoke all on procedure rag.run_jobs(integer) from public;
grant execute on procedure rag.run_jobs(integer) to rag_writer;
