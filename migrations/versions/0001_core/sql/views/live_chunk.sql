-- The passages a search may consider, before anyone asks who is searching.
create or replace view rag_internal.live_chunk with (security_invoker = true) as
select c.chunk_id, c.document_id, c.chunk_index, c.tsv, c.lexeme_count, c.surface,
       d.collection_id, d.acl_id, d.attributes, k.text_config
from rag.chunk c
join rag.document d using (document_id)
join rag.collection k using (collection_id)
where d.status = 'active'
  and (d.valid_from is null or d.valid_from <= statement_timestamp())
  and (d.valid_until is null or d.valid_until > statement_timestamp());

comment on view rag_internal.live_chunk is
    'Passages of active documents within their validity. Every use adds the caller''s sharing '
    'classes.';
alter view rag_internal.live_chunk owner to rag_owner;
revoke all on rag_internal.live_chunk from public;
