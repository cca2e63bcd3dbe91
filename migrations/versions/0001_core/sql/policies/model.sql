-- The registry of models tells nothing about content.
drop policy if exists read_model on rag.model;
create policy read_model on rag.model for select to rag_reader using (true);
comment on policy read_model on rag.model is 'Every reader.';
