-- A passage that was changed by plain SQL gets new lexemes and, by the queue, a new vector.
create or replace function rag_internal.follow_chunk() returns trigger
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _document rag_internal.document;
    _collection rag_internal.collection;
begin
    select d.* into _document from rag_internal.document d where d.document_id = new.document_id;
    _collection := rag_internal.shared_collection(_document.collection_id);
    if coalesce(new.embed_text, new.content) <> coalesce(old.embed_text, old.content) then
        delete from rag_internal.embedding e where e.chunk_id = new.chunk_id;
    end if;
    update rag_internal.chunk c
    set tsv = rag_internal.index_text(_document.title, c.heading, c.content,
                                      _document.text_config, _collection.title_weight,
                                      _collection.heading_weight),
        words_skipped = rag_internal.words_skipped(c.content)
    where c.chunk_id = new.chunk_id;
    perform rag_internal.index_document(new.document_id);
    perform rag_internal.queue_embeddings(_collection, new.document_id, null,
                                              rag_internal.plain_identity(current_user));
    return null;
end
$$;

comment on function rag_internal.follow_chunk() is
    'Keeps lexemes and vectors of a passage in step with its text.';
alter function rag_internal.follow_chunk() owner to rag_owner;
revoke all on function rag_internal.follow_chunk() from public;
