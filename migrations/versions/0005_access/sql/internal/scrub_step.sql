-- A step of rag.scrub(): each commits by itself, so that a crash or a cancel leaves a whole
-- database, and calling it again goes on.
create or replace function rag_internal.scrub_step(
    who      name,
    ticket   bytea,
    done     text,
    deadline timestamptz,
    holders  text
) returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _next text;
begin
    perform rag_internal.require_admin(rag_internal.authenticate(who, ticket), 'scrub');
    perform rag_internal.require_read_committed('rag.scrub');

    if done is null then
        perform rag_internal.bury_strays(null);
        return 'lexical index';
    elsif done = 'lexical index' then
        if rag_internal.purge_segment() then
            return 'lexical index';
        end if;
        perform rag_internal.prune_words();
        insert into rag_internal.scrub_probe select n from generate_series(1, 10) n
        on conflict do nothing;
        return 'words';
    elsif done = 'words' then
        delete from rag_internal.scrub_probe;
        return 'older snapshots';
    elsif done = 'older snapshots' and rag_internal.is_kept_by_snapshot() then
        if clock_timestamp() >= deadline then
            raise exception using
                errcode = '55000',
                message = 'what was deleted is still visible to an older transaction',
                detail  = coalesce(holders, 'Who has it is not shown to you.'),
                hint    = 'End it (commit, rollback, pg_terminate_backend; rollback prepared; '
                          'pg_drop_replication_slot), or give rag.scrub a longer timeout; then '
                          'call it again.';
        end if;
        perform pg_sleep(0.1);
        return 'older snapshots';
    end if;

    select c.relname into _next
    from pg_class c
    where c.relnamespace = 'rag_internal'::regnamespace and c.relkind = 'r'
      and c.relowner = 'rag_owner'::regrole
      -- what this statement reads itself, a random number
      and c.relname not in ('ticket_key', 'scrub_probe')
      and c.relname > case when done like 'table %' then substr(done, 7) else '' end
          collate "C"
    order by c.relname collate "C"
    limit 1;
    if found then
        perform rag_internal.rewrite_table(_next);
        return 'table ' || _next;
    end if;
    perform rag_internal.warn_of_statistics();
    return null;
end
$$;

comment on function rag_internal.scrub_step(name, bytea, text, timestamptz, text) is
    'See rag.scrub_step.';
alter function rag_internal.scrub_step(name, bytea, text, timestamptz, text) owner to rag_owner;
revoke all on function rag_internal.scrub_step(name, bytea, text, timestamptz, text) from public;
grant execute on function rag_internal.scrub_step(name, bytea, text, timestamptz,
    text) to rag_admin;
