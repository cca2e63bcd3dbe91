-- Archived documents are in the lexical index on the way up, and not in it on the way down.
do $$
begin
    perform rag_internal.index_document(d.document_id)
    from rag_internal.document d
    where d.status = 'archived';
end
$$;
