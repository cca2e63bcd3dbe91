-- How much each leg of a hybrid search counts, unless the caller says otherwise.
create or replace function rag_internal.default_weights(fusion text) returns jsonb
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    return (
        select case fusion
                   when 'linear' then '{"semantic": 0.7, "hyde": 0.7, "bm25": 0.3, "fuzzy": 0}'
                   when 'convex' then '{"semantic": 0.4, "hyde": 0.4, "bm25": 0.6, "fuzzy": 0}'
                   else '{"semantic": 0.6, "hyde": 0.6, "bm25": 0.3, "fuzzy": 0.1}'
               end::jsonb);
end
$$;

comment on function rag_internal.default_weights(text) is
    'Weights of the legs in a fusion: rrf, linear or convex.';
alter function rag_internal.default_weights(text) owner to rag_owner;
revoke all on function rag_internal.default_weights(text) from public;
