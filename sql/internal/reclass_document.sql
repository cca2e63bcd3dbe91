-- Moves a document, with its vectors, to another sharing class. The lexical index follows by
-- trigger.
create or replace function rag_internal.reclass_document(document_id uuid, acl_id bigint)
returns void
language sql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
    update rag_internal.document d set acl_id = reclass_document.acl_id
    where d.document_id = reclass_document.document_id;
    update rag_internal.embedding e set acl_id = reclass_document.acl_id
    from rag_internal.chunk c
    where c.document_id = reclass_document.document_id and e.chunk_id = c.chunk_id;
$$;

comment on function rag_internal.reclass_document(uuid, bigint) is
    'Changes acl_id of a document and of its vectors.';
alter function rag_internal.reclass_document(uuid, bigint) owner to rag_owner;
revoke all on function rag_internal.reclass_document(uuid, bigint) from public;
