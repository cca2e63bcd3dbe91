-- A load is known to who ran it, and to who sees everything.
drop policy if exists read_ingest_log on rag_internal.ingest_log;
create policy read_ingest_log on rag_internal.ingest_log for select to rag_reader
    using (exists (select from rag_internal.caller c
                   where rag_internal.is_own_work(c.who, c.ticket, user_name, role_oid, reader,
                                                  tenant)));
comment on policy read_ingest_log on rag_internal.ingest_log is
    'Who ran it, and who sees everything.';
