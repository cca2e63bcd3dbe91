-- Builds a model's vector index anew, beside the old one, so that searches go on meanwhile.
-- Parallel workers share maintenance_work_mem of memory, which a container with a small /dev/shm
-- does not have: there, one process builds it.
create or replace function rag_internal.build_vector_index(model rag_internal.model) returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _partition text := format('embedding_%s', (model).model_id);
    _index text := _partition || '_hnsw';
    _form record := rag_internal.vector_form(model);
    _workers text := current_setting('max_parallel_maintenance_workers');
    _create text;
begin
    if _form.indexed is null then
        execute format('drop index if exists rag_internal.%I', _index);
        raise warning using
            message = format('%s dimensions are more than an index holds: searches with model "%s" '
                             'read every vector in scope', (model).dimensions, (model).name),
            hint    = 'Up to 4,000 dimensions are indexed as they are, up to 16,000 with '
                      'options => ''{"quantization": "binary"}''.';
        return;
    end if;
    _create := format('create index %I on rag_internal.%I using hnsw (%s %s) '
                      'with (m = %s, ef_construction = %s)',
                      _index || '_new', _partition, format(_form.indexed, _form.stored_in),
                      _form.operators, (model).hnsw_m, (model).hnsw_ef_construction);
    begin
        execute _create;
    exception when disk_full or out_of_memory then
        if _workers::integer = 0 then
            raise;
        end if;
        perform set_config('max_parallel_maintenance_workers', '0', true);
        execute _create;
        perform set_config('max_parallel_maintenance_workers', _workers, true);
    end;
    -- see rag_internal.add_embedding_partition
    execute format('alter index rag_internal.%I alter column 1 set statistics 0',
                   _index || '_new');
    execute format('drop index if exists rag_internal.%I', _index);
    execute format('alter index rag_internal.%I rename to %I', _index || '_new', _index);
end
$$;

comment on function rag_internal.build_vector_index(rag_internal.model) is
    'Replaces embedding_<model_id>_hnsw by an index as the model wants it; a warning and none '
    'where its dimensions cannot be indexed. Without memory for parallel workers, without them.';
alter function rag_internal.build_vector_index(rag_internal.model) owner to rag_owner;
revoke all on function rag_internal.build_vector_index(rag_internal.model) from public;
