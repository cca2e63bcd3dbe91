-- The rerankers that a search can name. Where they are reached is the operator's business.
create or replace function rag_internal.known_rerankers(who name, ticket bytea)
returns table (
    name       text,
    provider   text,
    revision   text,
    max_tokens integer,
    scores     text,
    is_default boolean,
    created_at timestamptz,
    endpoints  jsonb
)
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    return query
        select r.name, r.provider, r.revision, r.max_tokens, r.scores, r.is_default, r.created_at,
               case when _identity.sees_everything then r.endpoints end
        from rag_internal.reranker r;
end
$$;

comment on function rag_internal.known_rerankers(name, bytea) is 'Rows of rag.reranker.';
alter function rag_internal.known_rerankers(name, bytea) owner to rag_owner;
revoke all on function rag_internal.known_rerankers(name, bytea) from public;
grant execute on function rag_internal.known_rerankers(name, bytea) to rag_reader;
