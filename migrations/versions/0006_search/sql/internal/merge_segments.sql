-- Merges segments of one configuration, in the engine: the smallest that there are enough of, or
-- one in which much is dead. Segments that another session is just merging are left to it.
create or replace function rag_internal.merge_segments(text_config text, most_passages integer)
returns boolean
language plpython3u volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).merge_segments(text_config, most_passages)
$$;

comment on function rag_internal.merge_segments(text, integer) is
    'Whether something was merged; the new segments together have at most most_passages passages '
    '(65,536 merges what there is into few large ones).';
alter function rag_internal.merge_segments(text, integer) owner to rag_owner;
revoke all on function rag_internal.merge_segments(text, integer) from public;
