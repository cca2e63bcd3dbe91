-- What the words of a query are taken for, in the engine.
create or replace function rag_internal.correct_words(query text, scope rag_internal.scope)
returns setof rag.correction
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
set datestyle = iso
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).corrections(query, scope)
$$;

comment on function rag_internal.correct_words(text, rag_internal.scope) is
    'A row per word of the query, or per two that belong together, in the order of writing.';
alter function rag_internal.correct_words(text, rag_internal.scope) owner to rag_owner;
revoke all on function rag_internal.correct_words(text, rag_internal.scope) from public;
