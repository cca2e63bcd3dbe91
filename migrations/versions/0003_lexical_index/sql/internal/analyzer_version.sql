-- Which rules documents were indexed by: it grows whenever rag.analyze gives other lexemes for the
-- same text, and an index of another version must be rebuilt.
create or replace function rag_internal.analyzer_version() returns integer
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select 1
$$;

comment on function rag_internal.analyzer_version() is
    'The version of the rules of rag.analyze.';
alter function rag_internal.analyzer_version() owner to rag_owner;
revoke all on function rag_internal.analyzer_version() from public;
