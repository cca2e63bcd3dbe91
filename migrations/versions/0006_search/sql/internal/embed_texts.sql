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
return GD["ragsql"].require(6).embed(texts, kind, model)
$$;

comment on function rag_internal.embed_texts(text[], text, rag_internal.model) is
    'One unit vector per text, in order; kind is query or passage. A text beyond the window is '
    'the average of its windows, or 54000 where long_input of the model is error; a provider that '
    'cannot be used is 55000.';
alter function rag_internal.embed_texts(text[], text, rag_internal.model) owner to rag_owner;
revoke all on function rag_internal.embed_texts(text[], text, rag_internal.model) from public;
