-- A collection as one ingest sees it: with the strategy and the sizes that it asks for.
create or replace function rag_internal.chunking_for_ingest(
    collection     rag_internal.collection,
    strategy       text,
    chunk_size     integer,
    overlap        integer,
    min_chunk_size integer
) returns rag_internal.collection
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    if num_nonnulls(chunking_for_ingest.strategy, chunking_for_ingest.chunk_size,
                    chunking_for_ingest.overlap, chunking_for_ingest.min_chunk_size) = 0 then
        return collection;
    end if;
    if chunking_for_ingest.strategy is not null then
        -- sizes of another strategy are in another unit
        collection.chunk_size := null;
        collection.overlap := null;
        collection.min_chunk_size := null;
    end if;
    collection.chunk_size := coalesce(chunking_for_ingest.chunk_size, collection.chunk_size);
    collection.overlap := coalesce(chunking_for_ingest.overlap, collection.overlap);
    collection.min_chunk_size := coalesce(chunking_for_ingest.min_chunk_size,
                                          collection.min_chunk_size);
    collection.strategy := rag_internal.check_chunking(
        coalesce(chunking_for_ingest.strategy, collection.strategy), collection.chunk_size,
        collection.overlap, collection.min_chunk_size, collection.model_id is not null, null);
    return collection;
end
$$;

comment on function rag_internal.chunking_for_ingest(rag_internal.collection, text, integer,
    integer, integer) is
    'The row of a collection with what an ingest overrides (null: nothing); 22023 as '
    'rag_internal.check_chunking.';
alter function rag_internal.chunking_for_ingest(rag_internal.collection, text, integer, integer,
    integer) owner to rag_owner;
revoke all on function rag_internal.chunking_for_ingest(rag_internal.collection, text, integer,
    integer, integer) from public;
