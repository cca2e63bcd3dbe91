-- A passage is read by whoever reads its document (whose own policy applies here).
drop policy if exists read_chunk on rag.chunk;
create policy read_chunk on rag.chunk for select to rag_reader
    using (exists (select from rag.document d where d.document_id = chunk.document_id));
comment on policy read_chunk on rag.chunk is 'The readers of its document.';
