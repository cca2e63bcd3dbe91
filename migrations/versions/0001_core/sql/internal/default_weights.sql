-- How much each leg of a hybrid search counts, unless the caller says otherwise.
create or replace function rag_internal.default_weights() returns jsonb
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select '{"semantic": 0.6, "bm25": 0.3, "fuzzy": 0.1}'::jsonb
$$;

comment on function rag_internal.default_weights() is
    'Weights of the legs in reciprocal rank fusion.';
alter function rag_internal.default_weights() owner to rag_owner;
revoke all on function rag_internal.default_weights() from public;
