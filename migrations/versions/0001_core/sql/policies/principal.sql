-- A principal is known to whoever it is.
drop policy if exists read_principal on rag_internal.principal;
create policy read_principal on rag_internal.principal for select to rag_reader
    using (principal_id in (select p.principal_id
                            from rag_internal.caller c,
                                 lateral rag_internal.own_principals(c.who, c.ticket)
                                     p (principal_id)));
comment on policy read_principal on rag_internal.principal is 'Whoever the principal is.';
