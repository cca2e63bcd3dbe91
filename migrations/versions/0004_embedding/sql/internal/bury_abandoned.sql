-- A text that ended its worker five times is given up: a claim that nobody answered for returns
-- with its attempt charged.
create or replace function rag_internal.bury_abandoned(task rag_internal.embedding_task)
returns void
language sql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
    update rag_internal.embedding_task t
    set is_dead = true, claim_id = null, failed_at = clock_timestamp(),
        error = coalesce(t.error, 'its worker ended before it was embedded')
    where t.model_id = (task).model_id and t.chunk_id = (task).chunk_id
$$;

comment on function rag_internal.bury_abandoned(rag_internal.embedding_task) is
    'Makes a dead letter of what came back five times.';
alter function rag_internal.bury_abandoned(rag_internal.embedding_task) owner to rag_owner;
revoke all on function rag_internal.bury_abandoned(rag_internal.embedding_task) from public;
