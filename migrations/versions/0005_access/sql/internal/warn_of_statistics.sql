-- Planner statistics are copies of values, so none are kept of columns with texts and vectors:
-- their statistics target is 0. Where somebody changed that, or statistics are older, it is said.
create or replace function rag_internal.warn_of_statistics() returns void
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _columns text;
begin
    select string_agg(format('%s.%s', s.tablename, s.attname), ', ' order by 1) into _columns
    from pg_stats s
    where s.schemaname = 'rag_internal'
      and exists (select from pg_attribute a
                  where a.attrelid = format('%I.%I', s.schemaname, s.tablename)::regclass
                    and a.attname = s.attname
                    and (a.attstattarget = 0
                         or a.atttypid = 'tsvector'::regtype
                         or a.attname in ('content', 'title', 'source', 'word')));
    if _columns is not null then
        raise warning using
            message = format('the planner''s statistics hold texts of: %s', _columns),
            hint    = 'As a superuser: alter table ... alter column ... set statistics 0; then '
                      'delete from pg_statistic where starelid = ''...''::regclass; '
                      'vacuum full pg_statistic.';
    end if;
end
$$;

comment on function rag_internal.warn_of_statistics() is
    'A warning with the columns, if there are any.';
alter function rag_internal.warn_of_statistics() owner to rag_owner;
revoke all on function rag_internal.warn_of_statistics() from public;
