-- Measures how well a document is cut, in the engine.
create or replace function rag_internal.chunk_counts(
    content      text,
    starts       integer[],
    ends         integer[],
    kinds        text[],
    token_counts integer[],
    settings     jsonb,
    model        rag_internal.model,
    source       text,
    mime         text
) returns rag_internal.chunk_counts
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
import json
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).chunk_counts(
    content, starts, ends, kinds, token_counts, json.loads(settings), model, source, mime)
$$;

comment on function rag_internal.chunk_counts(text, integer[], integer[], text[], integer[], jsonb,
    rag_internal.model, text, text) is
    'Counts that add up over documents; settings is rag_internal.document.indexed_as.';
alter function rag_internal.chunk_counts(text, integer[], integer[], text[], integer[], jsonb,
    rag_internal.model, text, text) owner to rag_owner;
revoke all on function rag_internal.chunk_counts(text, integer[], integer[], text[], integer[],
    jsonb, rag_internal.model, text, text) from public;
