-- A model as its options want it; what they do not name stays.
create or replace function rag_internal.with_model_options(
    model   rag_internal.model,
    options jsonb
) returns rag_internal.model
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select jsonb_populate_record(
        model,
        case options -> 'memory_efficient'
            -- a smaller graph is made good for by a longer search of it
            when 'true' then '{"hnsw_m": 8, "hnsw_ef_construction": 128,
                               "hnsw_ef_search": 200}'::jsonb
            when 'false' then '{"hnsw_m": 16, "hnsw_ef_construction": 128, "hnsw_ef_search": 100}'
            else '{}' end
        || coalesce((select jsonb_object_agg(
                                case when o.key in ('m', 'ef_construction', 'ef_search')
                                     then 'hnsw_' || o.key else o.key end, o.value)
                     from jsonb_each(options) o
                     where o.key <> 'memory_efficient'), '{}'))
$$;

comment on function rag_internal.with_model_options(rag_internal.model, jsonb) is
    'The model with checked options (rag_internal.check_model_options) put in.';
alter function rag_internal.with_model_options(rag_internal.model, jsonb) owner to rag_owner;
revoke all on function rag_internal.with_model_options(rag_internal.model, jsonb) from public;
