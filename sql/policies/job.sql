-- A job is known to who asked for it, and to administrators.
drop policy if exists read_job on rag_internal.job;
create policy read_job on rag_internal.job for select to rag_reader
    using ((created_by = current_user and role_oid = quote_ident(current_user)::regrole)
           or pg_has_role(current_user, 'rag_admin', 'usage'));
comment on policy read_job on rag_internal.job is 'Who asked for it, and administrators.';
