-- What restricted tenants may search and ingest into.
create or replace function rag.list_sources() returns setof rag.source_rule
language sql stable parallel unsafe
begin atomic
    select r.* from rag_internal.caller c, lateral rag_internal.list_sources(c.who, c.ticket) r;
end;

comment on function rag.list_sources() is
    'The sources allowed to the caller''s tenant, for rag_admin to every restricted tenant; no '
    'row: not restricted.';
alter function rag.list_sources() owner to rag_owner;
revoke all on function rag.list_sources() from public;
grant execute on function rag.list_sources() to rag_reader;
