-- Whether rows that were deleted in rag_internal.scrub_probe have to be kept for somebody: then
-- those deleted elsewhere before have to be, too. This asks the server itself, whoever it is:
-- another session, a prepared transaction, a replication slot, a replica with feedback.
create or replace function rag_internal.is_kept_by_snapshot() returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    -- of another scrub that ended in between
    delete from rag_internal.scrub_probe;
    perform rag_internal.rewrite_table('scrub_probe');
    return pg_relation_size('rag_internal.scrub_probe') > 0;
end
$$;

comment on function rag_internal.is_kept_by_snapshot() is
    'True while an older snapshot than the last delete from rag_internal.scrub_probe is in use.';
alter function rag_internal.is_kept_by_snapshot() owner to rag_owner;
revoke all on function rag_internal.is_kept_by_snapshot() from public;
