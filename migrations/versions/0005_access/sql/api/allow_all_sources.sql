-- Lifts the restriction of a tenant.
create or replace function rag.allow_all_sources(tenant text default '') returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.disallow_source(c.who, c.ticket, null, allow_all_sources.tenant, true)
    from rag_internal.caller c;
end;

comment on function rag.allow_all_sources(text) is
    'rag_admin only: the tenant searches and ingests whatever its readers and writers may again, '
    'and what was allowed to it is forgotten. Whether it was restricted.';
alter function rag.allow_all_sources(text) owner to rag_owner;
revoke all on function rag.allow_all_sources(text) from public;
grant execute on function rag.allow_all_sources(text) to rag_admin;
