-- A document is read by the readers of its sharing class.
drop policy if exists read_document on rag_internal.document;
create policy read_document on rag_internal.document for select to rag_reader
    using (acl_id in (select a.acl_id
                      from rag_internal.caller c,
                           lateral rag_internal.readable_acls(c.who, c.ticket) a (acl_id)));
comment on policy read_document on rag_internal.document is 'The readers of its sharing class.';
