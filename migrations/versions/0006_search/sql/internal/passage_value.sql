-- How much a passage is worth, in the engine.
create or replace function rag_internal.passage_value(content text, heading text[], kind text)
returns real
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).passage_value(content, heading, kind)
$$;

comment on function rag_internal.passage_value(text, text[], text) is
    'From 0 to 1: how likely the passage answers a question by itself.';
alter function rag_internal.passage_value(text, text[], text) owner to rag_owner;
revoke all on function rag_internal.passage_value(text, text[], text) from public;
