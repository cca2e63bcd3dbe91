-- Brings a stored document up to what was ingested under its key, doing no more than what differs.
create or replace function rag_internal.replace_document(
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
    _job_id bigint;
begin
    select d.* into _old from rag_internal.document d
    where d.collection_id = _new.collection_id and d.source = _new.source
      and d.version = _new.version
    for update;
    if not found then
        raise exception using
            errcode = '40001',
            message = format('document "%s" was removed while it was ingested', _new.source),
            hint    = 'Ingest it again.';
    end if;

    _new.document_id := _old.document_id;
    _new.acl_id := coalesce(_new.acl_id, _old.acl_id);
    -- a nightly load must not bring back what somebody archived or let expire
    _new.status := _old.status;
    _new.valid_from := coalesce(_new.valid_from, _old.valid_from);
    _new.valid_until := coalesce(_new.valid_until, _old.valid_until);
    perform rag_internal.check_document(_new);
    _new.created_at := _old.created_at;
    _new.updated_at := _old.updated_at;
    _new.attributes := rag_internal.attributes(_new);
    if _new = _old then
        return rag_internal.ingested(_old, 'unchanged', 0, null, identity);
    end if;

    _new.updated_at := now();
    _new.attributes := rag_internal.attributes(_new);
    update rag_internal.document d
    set title = _new.title, content = _new.content, content_hash = _new.content_hash,
        mime = _new.mime, language = _new.language, text_config = _new.text_config,
        status = _new.status,
        valid_from = _new.valid_from, valid_until = _new.valid_until, tags = _new.tags,
        metadata = _new.metadata, attributes = _new.attributes, indexed_as = _new.indexed_as,
        acl_id = _new.acl_id, updated_at = _new.updated_at
    where d.document_id = _new.document_id;
    if _new.content_hash = _old.content_hash and _new.indexed_as = _old.indexed_as then
        return rag_internal.ingested(_new, 'updated', 0, null, identity);
    end if;
    _chunks := coalesce(chunks, rag_internal.prepare_chunks(collection, _new, embed));
    _job_id := rag_internal.write_chunks(_new, collection, _chunks, identity);
    return rag_internal.ingested(_new, 'updated', cardinality(_chunks), _job_id, identity);
end
$$;

comment on function rag_internal.replace_document(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], text, rag_internal.identity) is
    'updated or unchanged; the status stays, and where they are null so do readers and validity. '
    '40001 where the document has just been removed.';
alter function rag_internal.replace_document(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], text, rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.replace_document(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], text, rag_internal.identity) from public;
