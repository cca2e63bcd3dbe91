-- Where a search looks, and what documents have to satisfy.
create or replace function rag_internal.search_scope(
    identity rag_internal.identity,
    request  rag_internal.search_request
) returns rag_internal.scope
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _scope rag_internal.scope := rag_internal.lexical_scope(identity, (request).collections);
begin
    perform rag_internal.check_filter((request).filter, (request).filter_path, (request).vars);
    -- the legs of one search see one state of the index, and read it once
    _scope.search_id := rag_internal.new_id();
    _scope.filter := (request).filter;
    _scope.filter_path := (request).filter_path;
    _scope.vars := coalesce((request).vars, '{}');
    _scope.as_of := (request).as_of;
    _scope.include_archived := coalesce((request).include_archived, false);
    _scope.min_updated_at := (request).min_updated_at;
    _scope.max_updated_at := (request).max_updated_at;
    return _scope;
end
$$;

comment on function rag_internal.search_scope(rag_internal.identity, rag_internal.search_request) is
    'The scope of a search; P0002 where a collection is missing or hidden, 42501 where the tenant '
    'may not search it, 22023 for a filter that cannot be one.';
alter function rag_internal.search_scope(rag_internal.identity, rag_internal.search_request) owner
    to rag_owner;
revoke all on function rag_internal.search_scope(rag_internal.identity, rag_internal.search_request)
    from public;
