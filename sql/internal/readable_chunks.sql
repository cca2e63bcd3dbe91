-- The passages that the caller may read: all, or those of one document. Where rules hold for the
-- caller, there are only those of the one, redacted.
create or replace function rag_internal.readable_chunks(
    who           name,
    ticket        bytea,
    only_document uuid,
    token         text
)
returns table (
    document_id   uuid,
    chunk_index   integer,
    content       text,
    embed_text    text,
    start_offset  integer,
    end_offset    integer,
    start_line    integer,
    end_line      integer,
    page          integer,
    heading       text[],
    section_start integer,
    section_end   integer,
    kind          text,
    token_count   integer,
    value         real,
    metadata      jsonb,
    tsv           tsvector
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
        select c.document_id, c.chunk_index, c.content, c.embed_text, c.start_offset,
               c.end_offset, c.start_line, c.end_line, c.page, c.heading, c.section_start,
               c.section_end, c.kind, c.token_count, c.value, c.metadata, c.tsv
        from rag_internal.chunk c
        join rag_internal.document d using (document_id)
        where d.acl_id in (select rag_internal.visible_acls(_identity))
          and d.collection_id <> all (_redacted)
          and (readable_chunks.only_document is null
               or c.document_id = readable_chunks.only_document);
    if found or readable_chunks.only_document is null or _redacted = '{}' then
        return;
    end if;
    return query
        select c.document_id, c.chunk_index, s.content, s.embed_text, c.start_offset,
               c.end_offset, c.start_line, c.end_line, c.page, s.heading, c.section_start,
               c.section_end, s.kind, c.token_count, c.value, s.metadata, s.tsv
        from rag_internal.document d
        cross join lateral (
            select rag_internal.redaction_of(d, rag_internal.redaction_rules(_redacted))
                   as redaction offset 0) r
        join rag_internal.chunk c using (document_id)
        cross join lateral rag_internal.redact_chunk(c, r.redaction) s
        where d.acl_id in (select rag_internal.visible_acls(_identity))
          and d.collection_id = any (_redacted)
          and d.document_id = readable_chunks.only_document;
end
$$;

comment on function rag_internal.readable_chunks(name, bytea, uuid, text) is
    'Rows of rag.chunk; only_document null: all that the caller may read as they are.';
alter function rag_internal.readable_chunks(name, bytea, uuid, text) owner to rag_owner;
revoke all on function rag_internal.readable_chunks(name, bytea, uuid, text) from public;
grant execute on function rag_internal.readable_chunks(name, bytea, uuid, text) to rag_reader;
