-- A model's part of rag_internal.embedding: row security on, and a vector index of its own.
create or replace function rag_internal.add_embedding_partition(model rag_internal.model)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _partition text := format('embedding_%s', (model).model_id);
begin
    -- made as a part at once, it would lock out every search and ingest until all that began
    -- before have ended
    execute format('create table rag_internal.%I (like rag_internal.embedding '
                   'including defaults including constraints)',
                   _partition);
    execute format('alter table rag_internal.%I enable row level security', _partition);
    -- the planner's statistics would be copies of vectors, which tell of their texts
    execute format('alter table rag_internal.%I alter column embed_hash set statistics 0, '
                   'alter column v set statistics 0, alter column full_v set statistics 0',
                   _partition);
    execute format('alter table rag_internal.embedding attach partition rag_internal.%I '
                   'for values in (%s)',
                   _partition, (model).model_id);
    perform rag_internal.build_vector_index(model);
end
$$;

comment on function rag_internal.add_embedding_partition(rag_internal.model) is
    'Makes rag_internal.embedding_<model_id> with its vector index.';
alter function rag_internal.add_embedding_partition(rag_internal.model) owner to rag_owner;
revoke all on function rag_internal.add_embedding_partition(rag_internal.model) from public;
