-- The syntax of a query: phrases, exclusions and the rest, in the engine.
create or replace function rag_internal.read_question(query text) returns rag_internal.question
language plpython3u immutable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).read_question(query)
$$;

comment on function rag_internal.read_question(text) is
    'Never fails: what is no syntax is plain text.';
alter function rag_internal.read_question(text) owner to rag_owner;
revoke all on function rag_internal.read_question(text) from public;
