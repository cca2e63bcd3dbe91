-- The registry of models tells nothing about content.
drop policy if exists read_model on rag_internal.model;
create policy read_model on rag_internal.model for select to rag_reader using (true);
comment on policy read_model on rag_internal.model is 'Every reader.';
