-- A passage is read by whoever reads its document (whose own policy applies here).
drop policy if exists read_chunk on rag_internal.chunk;
create policy read_chunk on rag_internal.chunk for select to rag_reader
    using (exists (select from rag_internal.document d where d.document_id = chunk.document_id));
comment on policy read_chunk on rag_internal.chunk is 'The readers of its document.';
