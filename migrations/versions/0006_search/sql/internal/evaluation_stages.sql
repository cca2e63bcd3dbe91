-- The stages that an evaluation tells of.
create or replace function rag_internal.evaluation_stages(request rag_internal.search_request)
returns text[]
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select case when (request).strategy = 'hybrid'
                then rag_internal.legs_of(request) || '{recall, fusion}'::text[]
                when num_nonnulls((request).rerank, (request).mmr_lambda) > 0 then '{recall}'
                else '{}' end
        || case when (request).rerank is not null then '{rerank}'::text[] else '{}' end
        || '{result}'::text[]
$$;

comment on function rag_internal.evaluation_stages(rag_internal.search_request) is
    'Of a completed request, in their order.';
alter function rag_internal.evaluation_stages(rag_internal.search_request) owner to rag_owner;
revoke all on function rag_internal.evaluation_stages(rag_internal.search_request) from public;
