-- The vector of a question, in the engine, which keeps the last ones of the session.
create or replace function rag_internal.embed_query(
    query text,
    model rag_internal.model,
    asker text
) returns @extschema:vector@.vector
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).embed_query(query, model, asker)
$$;

comment on function rag_internal.embed_query(text, rag_internal.model, text) is
    'The unit vector of a query. What a session keeps is kept for each caller by itself, so that '
    'nobody can time what another one asked. 55000 where the provider cannot be used.';
alter function rag_internal.embed_query(text, rag_internal.model, text) owner to rag_owner;
revoke all on function rag_internal.embed_query(text, rag_internal.model, text) from public;
