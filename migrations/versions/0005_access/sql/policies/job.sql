-- A job is known to who asked for it, and to who sees everything.
drop policy if exists read_job on rag_internal.job;
create policy read_job on rag_internal.job for select to rag_reader
    using (exists (select from rag_internal.caller c
                   where rag_internal.is_own_work(c.who, c.ticket, created_by, role_oid, reader,
                                                  tenant)));
comment on policy read_job on rag_internal.job is 'Who asked for it, and who sees everything.';
