-- Passages of a text that was changed by plain SQL. Vectors are left to the queue: an update of
-- many rows is no time to embed.
create or replace function rag_internal.resplit_document() returns trigger
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _collection rag_internal.collection;
    _chunks rag_internal.prepared_chunk[];
begin
    _collection := rag_internal.shared_collection(new.collection_id);
    _chunks := rag_internal.prepare_chunks(_collection, new, 'later');
    update rag_internal.document d
    set indexed_as = rag_internal.indexing_settings(_collection, new)
    where d.document_id = new.document_id;
    perform rag_internal.write_chunks(new, _collection, _chunks,
                                      rag_internal.plain_identity(current_user));
    return null;
end
$$;

comment on function rag_internal.resplit_document() is
    'Splits a changed text by the settings of its collection, and queues what has to be embedded.';
alter function rag_internal.resplit_document() owner to rag_owner;
revoke all on function rag_internal.resplit_document() from public;
