-- Removes records of searches that are older than they are to be.
create or replace function rag_internal.forget_searches(older_than interval default null)
returns bigint
language sql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
    with gone as (
        delete from rag_internal.search_log l
        using rag_internal.search_log_setting s
        where l.searched_at < now() - coalesce(older_than, make_interval(days => s.days))
        returning 1)
    select count(*) from gone
$$;

comment on function rag_internal.forget_searches(interval) is
    'How many records went; null: those older than rag.configure_search_log says.';
alter function rag_internal.forget_searches(interval) owner to rag_owner;
revoke all on function rag_internal.forget_searches(interval) from public;
