-- The passages a search may consider, before anyone asks who is searching.
create or replace view rag_internal.live_chunk with (security_invoker = true) as
select c.chunk_id, c.document_id, c.chunk_index, c.tsv, d.collection_id, d.acl_id,
       d.attributes, d.text_config
from rag_internal.chunk c
join rag_internal.document d using (document_id)
where d.status = 'active'
  and (d.valid_from is null or d.valid_from <= statement_timestamp())
  and (d.valid_until is null or d.valid_until > statement_timestamp());

comment on view rag_internal.live_chunk is
    'Passages of active documents within their validity. Every use adds the caller''s sharing '
    'classes.';
alter view rag_internal.live_chunk owner to rag_owner;
revoke all on rag_internal.live_chunk from public;
