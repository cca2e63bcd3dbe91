-- A load is known to who ran it, and to administrators.
drop policy if exists read_ingest_log on rag_internal.ingest_log;
create policy read_ingest_log on rag_internal.ingest_log for select to rag_reader
    using ((user_name = current_user and role_oid = quote_ident(current_user)::regrole)
           or pg_has_role(current_user, 'rag_admin', 'usage'));
comment on policy read_ingest_log on rag_internal.ingest_log is
    'Who ran the load, and administrators.';
