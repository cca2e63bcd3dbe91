-- Turns pending entries into a segment, in the engine. Rows that another session is just taking are
-- left to it.
create or replace function rag_internal.build_segment(text_config text) returns integer
language plpython3u volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).build_segment(text_config)
$$;

comment on function rag_internal.build_segment(text) is
    'How many passages left rag_internal.pending for a new segment, at most 16,384.';
alter function rag_internal.build_segment(text) owner to rag_owner;
revoke all on function rag_internal.build_segment(text) from public;
