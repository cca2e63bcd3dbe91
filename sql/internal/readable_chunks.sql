-- The passages that the caller may read: all, or those of one document.
create or replace function rag_internal.readable_chunks(who name, ticket bytea, only_document uuid)
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
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    return query
        select c.document_id, c.chunk_index, c.content, c.embed_text, c.start_offset,
               c.end_offset, c.start_line, c.end_line, c.page, c.heading, c.section_start,
               c.section_end, c.kind, c.token_count, c.value, c.metadata, c.tsv
        from rag_internal.chunk c
        join rag_internal.document d using (document_id)
        where d.acl_id in (select rag_internal.visible_acls(_identity))
          and (readable_chunks.only_document is null
               or c.document_id = readable_chunks.only_document);
end
$$;

comment on function rag_internal.readable_chunks(name, bytea, uuid) is
    'Rows of rag.chunk; only_document null: all that the caller may read.';
alter function rag_internal.readable_chunks(name, bytea, uuid) owner to rag_owner;
revoke all on function rag_internal.readable_chunks(name, bytea, uuid) from public;
grant execute on function rag_internal.readable_chunks(name, bytea, uuid) to rag_reader;
