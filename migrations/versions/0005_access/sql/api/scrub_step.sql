-- One step of rag.scrub(), for schedulers that keep their own transactions. What other sessions do
-- is asked here, where the server shows as much of it as the caller may see.
create or replace function rag.scrub_step(
    done     text default null,
    deadline timestamptz default now()
) returns text
language sql volatile parallel unsafe
begin atomic
    select rag_internal.scrub_step(
        c.who, c.ticket, scrub_step.done, scrub_step.deadline,
        (select string_agg(h.holder, '; ' order by h.age desc)
         from (select greatest(age(a.backend_xmin), age(a.backend_xid)) as age,
                      format('pid %s (%s, %s, %s)', a.pid, coalesce(a.usename, a.backend_type),
                             coalesce(a.state, '-'), coalesce(a.datname, '-')) as holder
               from pg_stat_activity a
               where a.pid <> pg_backend_pid()
                 and ((a.backend_xmin is not null
                       and (a.datname = current_database() or a.datname is null))
                      or a.backend_xid is not null)
               union all
               select age(p.transaction), format('prepared transaction %L', p.gid)
               from pg_prepared_xacts p
               union all
               select age(s.xmin), format('replication slot %L', s.slot_name)
               from pg_replication_slots s
               where s.xmin is not null
               order by 1 desc
               limit 3) h))
    from rag_internal.caller c;
end;

comment on function rag.scrub_step(text, timestamptz) is
    'Does the step after the one that is named (null: the first) and returns its name; null when '
    'there is none left. Commit after each. Before deadline it waits for older transactions, '
    '0.1 s at a time; after that they are an error (55000). rag.scrub() does it all.';
alter function rag.scrub_step(text, timestamptz) owner to rag_owner;
revoke all on function rag.scrub_step(text, timestamptz) from public;
grant execute on function rag.scrub_step(text, timestamptz) to rag_admin;
