-- Lets a tenant search or ingest into collections of a name, and nothing that is not allowed so.
create or replace function rag.allow_source(
    collection text,
    tenant     text    default '',
    may_search boolean default true,
    may_ingest boolean default true
) returns void
language sql volatile parallel unsafe
begin atomic
    select rag_internal.allow_source(c.who, c.ticket, allow_source.collection, allow_source.tenant,
                                     allow_source.may_search, allow_source.may_ingest)
    from rag_internal.caller c;
end;

comment on function rag.allow_source(text, text, boolean, boolean) is
    'rag_admin only. From the first call on, the tenant (empty: roles without a tenant) searches '
    'and ingests into allowed collections alone: another one by name is 42501, and a search that '
    'names none leaves them out. Who may read what is not changed by it. collection null: '
    'restricts the tenant, and allows nothing. rag_admin itself is not restricted.';
alter function rag.allow_source(text, text, boolean, boolean) owner to rag_owner;
revoke all on function rag.allow_source(text, text, boolean, boolean) from public;
grant execute on function rag.allow_source(text, text, boolean, boolean) to rag_admin;
