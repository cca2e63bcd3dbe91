-- The weights of the legs of a hybrid search.
create or replace function rag_internal.hybrid_weights(
    weights jsonb,
    fusion  text,
    rrf_k   integer
) returns jsonb
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    return (
        select rag_internal.check_weights(
            -- an imagined answer counts like the question, unless it is said otherwise
            case when jsonb_typeof(weights) = 'object' and weights ? 'semantic'
                 then jsonb_build_object('hyde', weights -> 'semantic') || weights
                 else weights end,
            rag_internal.default_weights(fusion), rrf_k));
end
$$;

comment on function rag_internal.hybrid_weights(jsonb, text, integer) is
    'weights over the defaults of the fusion; 22023 where they mean nothing, see '
    'rag_internal.check_weights.';
alter function rag_internal.hybrid_weights(jsonb, text, integer) owner to rag_owner;
revoke all on function rag_internal.hybrid_weights(jsonb, text, integer) from public;
