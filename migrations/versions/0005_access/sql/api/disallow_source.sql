-- Ends a tenant's searching of and ingesting into collections of a name.
create or replace function rag.disallow_source(collection text, tenant text default '')
returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.disallow_source(c.who, c.ticket, disallow_source.collection,
                                        disallow_source.tenant, false)
    from rag_internal.caller c;
end;

comment on function rag.disallow_source(text, text) is
    'rag_admin only; whether it was allowed. The tenant stays restricted, also when nothing is '
    'left that it may search.';
alter function rag.disallow_source(text, text) owner to rag_owner;
revoke all on function rag.disallow_source(text, text) from public;
grant execute on function rag.disallow_source(text, text) to rag_admin;
