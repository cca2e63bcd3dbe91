-- Takes the BM25 score of a passage apart, in the engine.
create or replace function rag_internal.bm25_terms(
    query       text,
    scope       rag_internal.scope,
    document_id uuid,
    chunk_index integer
) returns setof rag.bm25_term
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
set datestyle = iso
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).bm25_terms(query, scope, document_id, chunk_index)
$$;

comment on function rag_internal.bm25_terms(text, rag_internal.scope, uuid, integer) is
    'Terms in the order in which their contributions are added; P0002 where the passage is '
    'missing, or hidden, or not searched.';
alter function rag_internal.bm25_terms(text, rag_internal.scope, uuid, integer) owner to rag_owner;
revoke all on function rag_internal.bm25_terms(text, rag_internal.scope, uuid, integer) from public;
