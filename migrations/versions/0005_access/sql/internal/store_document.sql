-- Stores a drafted document as a new one, or in place of the one under its key.
create or replace function rag_internal.store_document(
    document   rag_internal.document,
    collection rag_internal.collection,
    chunks     rag_internal.prepared_chunk[],
    embed      text,
    identity   rag_internal.identity
) returns rag.ingested
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _new rag_internal.document := document;
    _old rag_internal.document;
    _chunks rag_internal.prepared_chunk[] := chunks;
begin
    select d.* into _old from rag_internal.document d
    where d.collection_id = _new.collection_id and d.source = _new.source
      and d.version = _new.version;
    if _old.content_hash is distinct from _new.content_hash
       or _old.indexed_as is distinct from _new.indexed_as then
        _chunks := coalesce(chunks, rag_internal.prepare_chunks(collection, _new, embed));
    elsif embed = 'now' then
        perform rag_internal.embed_waiting(_old, collection);
    end if;

    if _old.document_id is null then
        _new.document_id := gen_random_uuid();
        _new.acl_id := coalesce(_new.acl_id, (collection).acl_id);
        _new.created_at := now();
        _new.updated_at := now();
        _new.attributes := rag_internal.attributes(_new);
        insert into rag_internal.document select (_new).*
        on conflict on constraint document_key do nothing;
        if found then
            return rag_internal.ingested(
                _new, 'created', cardinality(_chunks),
                rag_internal.write_chunks(_new, collection, _chunks, identity), identity);
        end if;
    end if;
    return rag_internal.replace_document(document, collection, _chunks, embed, identity);
end
$$;

comment on function rag_internal.store_document(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], text, rag_internal.identity) is
    'What rag.ingest answers. chunks null: the text is split by the collection''s settings, where '
    'it is another than stored.';
alter function rag_internal.store_document(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], text, rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.store_document(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], text, rag_internal.identity) from public;
