-- Refuses settings of chunking that cannot work. The engine is the one who knows.
create or replace function rag_internal.check_chunking(
    strategy       text,
    chunk_size     integer,
    overlap        integer,
    min_chunk_size integer,
    has_model      boolean,
    min_value      real
) returns text
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).check_chunking(strategy, chunk_size, overlap, min_chunk_size,
                                              has_model, min_value)
$$;

comment on function rag_internal.check_chunking(text, integer, integer, integer, boolean, real) is
    'The strategy by its own name (word for null); 22023 for an unknown strategy, sizes that '
    'cannot work, tokens without a model, or a min_value outside 0 to 1.';
alter function rag_internal.check_chunking(text, integer, integer, integer, boolean,
    real) owner to rag_owner;
revoke all on function rag_internal.check_chunking(text, integer, integer, integer, boolean,
    real) from public;
