-- A text that ended its worker five times is given up: a claim that nobody answered for returns
-- with its attempt charged.
create or replace function rag_internal.bury_abandoned() returns void
language sql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
    update rag_internal.embedding_task t
    set is_dead = true, claim_id = null, failed_at = clock_timestamp(),
        error = coalesce(t.error, 'its worker ended before it was embedded')
    from (select a.model_id, a.chunk_id from rag_internal.embedding_task a
          where not a.is_dead and a.run_after <= clock_timestamp() and a.attempts >= 5
          for update skip locked) a
    where t.model_id = a.model_id and t.chunk_id = a.chunk_id
$$;

comment on function rag_internal.bury_abandoned() is
    'Makes dead letters of what came back five times.';
alter function rag_internal.bury_abandoned() owner to rag_owner;
revoke all on function rag_internal.bury_abandoned() from public;
