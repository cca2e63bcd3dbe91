-- Makes a prompt of hits, in the engine, which counts tokens.
create or replace function rag_internal.write_context(
    question   text,
    hits       jsonb,
    max_tokens integer,
    templates  text[],
    model      rag_internal.model
) returns jsonb
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).write_context(question, hits, max_tokens, templates, model)
$$;

comment on function rag_internal.write_context(text, jsonb, integer, text[], rag_internal.model) is
    'context, tokens, degraded and sources, each with the places of its hits from 0. templates: of '
    'the whole, of a source, and the text without any; null for the built-in. 22023 for a template '
    'that leaves the sources out, or no room for them.';
alter function rag_internal.write_context(text, jsonb, integer, text[], rag_internal.model) owner to
    rag_owner;
revoke all on function rag_internal.write_context(text, jsonb, integer, text[], rag_internal.model)
    from public;
