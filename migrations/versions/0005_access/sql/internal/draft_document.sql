-- A document as it was handed in, checked, and not yet stored.
create or replace function rag_internal.draft_document(
    collection     rag_internal.collection,
    content        text,
    source         text,
    title          text,
    tags           text[],
    metadata       jsonb,
    readers        text[],
    version        text,
    language       text,
    mime           text,
    valid_from     timestamptz,
    valid_until    timestamptz,
    security_level integer
) returns rag_internal.document
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _new rag_internal.document;
    _stored rag_internal.acl;
begin
    _new.collection_id := (collection).collection_id;
    _new.content := draft_document.content;
    _new.content_hash := sha256(convert_to(draft_document.content, 'UTF8'));
    _new.source := coalesce(nullif(draft_document.source, ''), encode(_new.content_hash, 'hex'));
    _new.version := coalesce(draft_document.version, '');
    _new.language := draft_document.language;
    _new.mime := coalesce(draft_document.mime, 'text/plain');
    _new.title := draft_document.title;
    _new.tags := coalesce(draft_document.tags, '{}');
    _new.metadata := coalesce(draft_document.metadata, '{}');
    _new.status := 'active';
    _new.valid_from := draft_document.valid_from;
    _new.valid_until := draft_document.valid_until;
    perform rag_internal.check_document(_new);
    _new.text_config := rag_internal.text_config_for(_new.language, (collection).text_config);
    if readers is not null or security_level is not null then
        -- what is not said stays as it is stored, so nobody may be changing it
        perform from rag_internal.document d
        where d.collection_id = _new.collection_id and d.source = _new.source
          and d.version = _new.version
        for update;
        select a.* into _stored
        from rag_internal.document d join rag_internal.acl a using (acl_id)
        where d.collection_id = _new.collection_id and d.source = _new.source
          and d.version = _new.version;
        _new.acl_id := rag_internal.document_acl(collection, readers, security_level, _stored);
    end if;
    return _new;
end
$$;

comment on function rag_internal.draft_document(rag_internal.collection, text, text, text, text[],
    jsonb, text[], text, text, text, timestamptz, timestamptz, integer) is
    'The row of a document to be; acl_id is null where it is to have its collection''s readers, '
    'and indexed_as is left to the caller.';
alter function rag_internal.draft_document(rag_internal.collection, text, text, text, text[], jsonb,
    text[], text, text, text, timestamptz, timestamptz, integer) owner to rag_owner;
revoke all on function rag_internal.draft_document(rag_internal.collection, text, text, text,
    text[], jsonb, text[], text, text, text, timestamptz, timestamptz, integer) from public;
