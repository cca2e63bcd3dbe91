-- Embeds passages, in the engine: one that fails does not take the others with it.
create or replace function rag_internal.embed_passages(texts text[], model rag_internal.model)
returns setof rag_internal.embedded_text
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).embed_passages(texts, model)
$$;

comment on function rag_internal.embed_passages(text[], rag_internal.model) is
    'A row per text with its unit vector or what is wrong. Writes nothing.';
alter function rag_internal.embed_passages(text[], rag_internal.model) owner to rag_owner;
revoke all on function rag_internal.embed_passages(text[], rag_internal.model) from public;
