-- Takes a question apart, in the engine.
create or replace function rag_internal.query_parts(query text, now text)
returns setof rag.query_part
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).query_parts(query, now)
$$;

comment on function rag_internal.query_parts(text, text) is
    'The parts of a query; now is local time in ISO 8601, which "yesterday" is counted from.';
alter function rag_internal.query_parts(text, text) owner to rag_owner;
revoke all on function rag_internal.query_parts(text, text) from public;
