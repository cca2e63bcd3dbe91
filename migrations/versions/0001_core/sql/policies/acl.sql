-- A sharing class is known to its readers.
drop policy if exists read_acl on rag_internal.acl;
create policy read_acl on rag_internal.acl for select to rag_reader
    using (acl_id in (select a.acl_id
                      from rag_internal.caller c,
                           lateral rag_internal.readable_acls(c.who, c.ticket) a (acl_id)));
comment on policy read_acl on rag_internal.acl is 'The readers of the class.';
