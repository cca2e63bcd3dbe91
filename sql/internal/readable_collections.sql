-- The collections that the caller may know of.
create or replace function rag_internal.readable_collections(who name, ticket bytea)
returns table (
    name            text,
    owner           text,
    description     text,
    strategy        text,
    chunk_size      integer,
    overlap         integer,
    min_chunk_size  integer,
    model           text,
    text_config     text,
    search_defaults jsonb,
    created_at      timestamptz,
    updated_at      timestamptz
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
        select k.name, rag_internal.owner_name(p), k.description, k.strategy, k.chunk_size,
               k.overlap, k.min_chunk_size, coalesce(m.name, 'none'), k.text_config,
               k.search_defaults,
               k.created_at, k.updated_at
        from rag_internal.visible_collections(_identity, null) k
        join rag_internal.principal p on p.principal_id = k.owner_id
        left join rag_internal.model m on m.model_id = k.model_id;
end
$$;

comment on function rag_internal.readable_collections(name, bytea) is 'Rows of rag.collection.';
alter function rag_internal.readable_collections(name, bytea) owner to rag_owner;
revoke all on function rag_internal.readable_collections(name, bytea) from public;
grant execute on function rag_internal.readable_collections(name, bytea) to rag_reader;
