-- Takes a question apart, as it is asked now.
create or replace function rag_internal.parts_of(query text) returns setof rag.query_part
language sql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
    select p.*
    from rag_internal.query_parts(
        query, to_char(statement_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS.US')) p
$$;

comment on function rag_internal.parts_of(text) is
    'The parts of a query, with dates in the time zone of the session.';
alter function rag_internal.parts_of(text) owner to rag_owner;
revoke all on function rag_internal.parts_of(text) from public;
