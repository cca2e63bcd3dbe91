-- Refuses what would work on an older snapshot than it changes.
create or replace function rag_internal.require_read_committed(what text) returns void
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        raise exception using
            errcode = '25001',
            message = format('%s works at isolation level read committed alone', what),
            hint    = 'Call it in a transaction of its own, begun at read committed.';
    end if;
end
$$;

comment on function rag_internal.require_read_committed(text) is
    '25001 at repeatable read and serializable.';
alter function rag_internal.require_read_committed(text) owner to rag_owner;
revoke all on function rag_internal.require_read_committed(text) from public;
