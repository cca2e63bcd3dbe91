-- Computes a collection's part of the lexical index anew and compares, in the engine.
create or replace function rag_internal.index_differences(collection rag_internal.collection)
returns setof rag.index_difference
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).index_differences(collection)
$$;

comment on function rag_internal.index_differences(rag_internal.collection) is
    'See rag.verify_index.';
alter function rag_internal.index_differences(rag_internal.collection) owner to rag_owner;
revoke all on function rag_internal.index_differences(rag_internal.collection) from public;
