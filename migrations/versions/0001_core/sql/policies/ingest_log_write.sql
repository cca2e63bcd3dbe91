-- A row of the log is written in one's own name: user_name is not among the columns of the grant.
drop policy if exists write_ingest_log on rag.ingest_log;
create policy write_ingest_log on rag.ingest_log for insert to rag_writer
    with check (user_name = current_user);
comment on policy write_ingest_log on rag.ingest_log is 'In one''s own name.';
