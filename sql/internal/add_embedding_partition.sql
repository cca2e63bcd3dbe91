-- A model's part of rag_internal.embedding: row security on, and an HNSW
-- index on its own dimension.
create or replace function rag_internal.add_embedding_partition(
    model  rag_internal.model,
    metric text
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _partition text := format('embedding_%s', (model).model_id);
    _operators text := case metric when 'cosine' then 'halfvec_cosine_ops'
                                   when 'l2' then 'halfvec_l2_ops'
                                   when 'inner_product' then 'halfvec_ip_ops' end;
begin
    if _operators is null then
        raise exception using
            errcode = '22023',
            message = format('unknown metric "%s"', metric),
            hint    = 'Known metrics: cosine, l2, inner_product.';
    end if;
    execute format('create table rag_internal.%I partition of rag_internal.embedding '
                   'for values in (%s)',
                   _partition, (model).model_id);
    execute format('alter table rag_internal.%I enable row level security', _partition);
    execute format('create index %I on rag_internal.%I using hnsw '
                   '((v::@extschema:vector@.halfvec(%s)) @extschema:vector@.%s)',
                   _partition || '_hnsw', _partition, (model).dimensions, _operators);
end
$$;

comment on function rag_internal.add_embedding_partition(rag_internal.model, text) is
    'Makes rag_internal.embedding_<model_id> with its HNSW index; an unknown metric is 22023.';
alter function rag_internal.add_embedding_partition(rag_internal.model, text) owner to rag_owner;
revoke all on function rag_internal.add_embedding_partition(rag_internal.model, text) from public;
