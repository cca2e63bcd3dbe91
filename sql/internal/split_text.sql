-- Splits a text into passages, in the engine.
create or replace function rag_internal.split_text(
    content        text,
    strategy       text,
    chunk_size     integer,
    overlap        integer,
    min_chunk_size integer,
    model          rag_internal.model,
    source         text,
    language       text,
    mime           text
) returns setof rag.text_chunk
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).chunk(content, strategy, chunk_size, overlap, min_chunk_size, model,
                                     source, language, mime)
$$;

comment on function rag_internal.split_text(text, text, integer, integer, integer,
    rag_internal.model, text, text, text) is
    'Passages of a text; every passage fits the window of the model, where one is given. source, '
    'language and mime (null: not known) say what the text is.';
alter function rag_internal.split_text(text, text, integer, integer, integer, rag_internal.model,
    text, text, text) owner to rag_owner;
revoke all on function rag_internal.split_text(text, text, integer, integer, integer,
    rag_internal.model, text, text, text) from public;
