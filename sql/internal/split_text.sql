-- Splits a text into passages, in the engine.
create or replace function rag_internal.split_text(
    content        text,
    strategy       text,
    chunk_size     integer,
    overlap        integer,
    min_chunk_size integer,
    model          rag_internal.model
) returns setof rag.text_chunk
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(1).chunk(content, strategy, chunk_size, overlap, min_chunk_size, model)
$$;

comment on function rag_internal.split_text(text, text, integer, integer, integer,
    rag_internal.model) is
    'Passages of a text; every passage fits the window of the model, where one is given.';
alter function rag_internal.split_text(text, text, integer, integer, integer,
    rag_internal.model) owner to rag_owner;
revoke all on function rag_internal.split_text(text, text, integer, integer, integer,
    rag_internal.model) from public;
