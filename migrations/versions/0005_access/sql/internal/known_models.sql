-- The models that the caller may choose (a writer), or that collections it knows of use. Where they
-- are reached is the operator's business.
create or replace function rag_internal.known_models(who name, ticket bytea)
returns table (
    name            text,
    kind            text,
    provider        text,
    revision        text,
    dimensions      integer,
    metric          text,
    query_prefix    text,
    passage_prefix  text,
    max_tokens      integer,
    is_default      boolean,
    created_at      timestamptz,
    storage         text,
    quantization    text,
    m               smallint,
    ef_construction smallint,
    ef_search       smallint,
    long_input      text,
    endpoints       jsonb
)
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    return query
        select m.name, m.kind, m.provider, m.revision, m.dimensions, m.metric, m.query_prefix,
               m.passage_prefix, m.max_tokens, m.is_default, m.created_at, m.storage,
               m.quantization, m.hnsw_m, m.hnsw_ef_construction, m.hnsw_ef_search, m.long_input,
               case when _identity.sees_everything then m.endpoints end
        from rag_internal.model m
        where pg_has_role(_identity.who, 'rag_writer', 'usage')
           or m.model_id in (select k.model_id
                             from rag_internal.visible_collections(_identity, null) k);
end
$$;

comment on function rag_internal.known_models(name, bytea) is 'Rows of rag.model.';
alter function rag_internal.known_models(name, bytea) owner to rag_owner;
revoke all on function rag_internal.known_models(name, bytea) from public;
grant execute on function rag_internal.known_models(name, bytea) to rag_reader;
