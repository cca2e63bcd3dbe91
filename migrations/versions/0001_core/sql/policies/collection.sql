-- A collection is known to its default readers, to its owner, and to readers of a document in it.
drop policy if exists read_collection on rag_internal.collection;
create policy read_collection on rag_internal.collection for select to rag_reader
    using (acl_id in (select a.acl_id
                      from rag_internal.caller c,
                           lateral rag_internal.readable_acls(c.who, c.ticket) a (acl_id))
           or owner_id in (select p.principal_id
                           from rag_internal.caller c,
                                lateral rag_internal.own_principals(c.who, c.ticket)
                                    p (principal_id))
           or exists (select from rag_internal.document d
                      where d.collection_id = collection.collection_id));
comment on policy read_collection on rag_internal.collection is
    'Its default readers, its owner, and readers of a document in it.';
