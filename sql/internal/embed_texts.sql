-- Embeds texts, in the engine.
create or replace function rag_internal.embed_texts(
    texts text[],
    kind  text,
    model rag_internal.model
)
returns @extschema:vector@.vector[]
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(4).embed(texts, kind, model)
$$;

comment on function rag_internal.embed_texts(text[], text, rag_internal.model) is
    'One unit vector per text, in order; kind is query or passage. A passage beyond the model''s '
    'window is refused (54000), a missing model is an error (55000).';
alter function rag_internal.embed_texts(text[], text, rag_internal.model) owner to rag_owner;
revoke all on function rag_internal.embed_texts(text[], text, rag_internal.model) from public;
