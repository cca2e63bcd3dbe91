-- The documents that the caller may read: all, or one by its id. Where rules hold for the caller,
-- there is only the one, redacted: a condition on all would find out what is hidden.
create or replace function rag_internal.readable_documents(
    who           name,
    ticket        bytea,
    only_document uuid,
    token         text
)
returns table (
    document_id  uuid,
    collection   text,
    source       text,
    version      text,
    title        text,
    content      text,
    content_hash bytea,
    mime         text,
    language     text,
    status       text,
    valid_from   timestamptz,
    valid_until  timestamptz,
    tags         text[],
    metadata     jsonb,
    attributes   jsonb,
    created_at   timestamptz,
    updated_at   timestamptz
)
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket, token);
    _redacted bigint[] := rag_internal.redacted_collections(_identity);
begin
    return query
        select d.document_id, k.name, d.source, d.version, d.title, d.content, d.content_hash,
               d.mime, d.language, d.status, d.valid_from, d.valid_until, d.tags, d.metadata,
               d.attributes, d.created_at, d.updated_at
        from rag_internal.document d
        join rag_internal.collection k using (collection_id)
        where d.acl_id in (select rag_internal.visible_acls(_identity))
          and d.collection_id <> all (_redacted)
          and (readable_documents.only_document is null
               or d.document_id = readable_documents.only_document);
    if found or readable_documents.only_document is null or _redacted = '{}' then
        return;
    end if;
    return query
        select d.document_id, k.name, r.source, r.version, r.title, r.content, r.content_hash,
               r.mime, r.language, d.status, d.valid_from, d.valid_until, r.tags, r.metadata,
               r.attributes, d.created_at, d.updated_at
        from rag_internal.document d
        join rag_internal.collection k using (collection_id)
        cross join lateral rag_internal.redact_document(d) r
        where d.acl_id in (select rag_internal.visible_acls(_identity))
          and d.collection_id = any (_redacted)
          and d.document_id = readable_documents.only_document;
end
$$;

comment on function rag_internal.readable_documents(name, bytea, uuid, text) is
    'Rows of rag.document; only_document null: all that the caller may read as they are.';
alter function rag_internal.readable_documents(name, bytea, uuid, text) owner to rag_owner;
revoke all on function rag_internal.readable_documents(name, bytea, uuid, text) from public;
grant execute on function rag_internal.readable_documents(name, bytea, uuid, text) to rag_reader;
