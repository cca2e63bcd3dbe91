-- The lexical index repeats a document's class, collection and validity, vectors and tasks its
-- class and collection, so they follow them.
create or replace function rag_internal.follow_document() returns trigger
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _collection rag_internal.collection;
begin
    if new.collection_id <> old.collection_id then
        _collection := rag_internal.shared_collection(new.collection_id);
    end if;
    perform rag_internal.index_document(new.document_id);
    if (new.acl_id, new.collection_id) <> (old.acl_id, old.collection_id) then
        update rag_internal.embedding e set acl_id = new.acl_id, collection_id = new.collection_id
        from rag_internal.chunk c
        where c.document_id = new.document_id and e.chunk_id = c.chunk_id;
        update rag_internal.embedding_task t
        set acl_id = new.acl_id, collection_id = new.collection_id
        from rag_internal.chunk c
        where c.document_id = new.document_id and t.chunk_id = c.chunk_id;
    end if;
    if new.collection_id <> old.collection_id then
        -- another collection may keep vectors under other models
        delete from rag_internal.embedding e
        using rag_internal.chunk c
        where c.document_id = new.document_id and e.chunk_id = c.chunk_id
          and not exists (select from rag_internal.wanted_embedding w
                          where w.model_id = e.model_id and w.chunk_id = e.chunk_id);
        delete from rag_internal.embedding_task t
        using rag_internal.chunk c
        where c.document_id = new.document_id and t.chunk_id = c.chunk_id
          and not exists (select from rag_internal.wanted_embedding w
                          where w.model_id = t.model_id and w.chunk_id = t.chunk_id);
        perform rag_internal.queue_embeddings(_collection, new.document_id, null,
                                              rag_internal.plain_identity(current_user));
    end if;
    return null;
end
$$;

comment on function rag_internal.follow_document() is
    'Makes a new entry for a document that changed otherwise than by its text, and takes its '
    'vectors along, or asks for those that its new collection wants.';
alter function rag_internal.follow_document() owner to rag_owner;
revoke all on function rag_internal.follow_document() from public;
