-- Forgets old records of searches.
create or replace function rag.prune_search_log(older_than interval default null) returns bigint
language sql volatile parallel unsafe
begin atomic
    select rag_internal.prune_search_log(c.who, c.ticket, prune_search_log.older_than)
    from rag_internal.caller c;
end;

comment on function rag.prune_search_log(interval) is
    'rag_admin only: removes records of searches older than that (null: than the days of '
    'rag.configure_search_log); how many. rag.maintain does it, too.';
alter function rag.prune_search_log(interval) owner to rag_owner;
revoke all on function rag.prune_search_log(interval) from public;
grant execute on function rag.prune_search_log(interval) to rag_admin;
