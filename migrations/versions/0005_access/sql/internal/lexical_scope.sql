-- Where the lexical legs look: the engine finds out by itself what the identity sees, and keeps it.
create or replace function rag_internal.lexical_scope(
    identity    rag_internal.identity,
    collections text[]
) returns rag_internal.scope
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _scope rag_internal.scope;
begin
    _scope.identity := identity;
    if collections is not null
       or exists (select from rag_internal.restricted_tenant r
                  where r.tenant = (identity).tenant) then
        _scope.collection_ids := rag_internal.search_collections(identity, collections);
    end if;
    return _scope;
end
$$;

comment on function rag_internal.lexical_scope(rag_internal.identity, text[]) is
    'A scope without a filter; P0002 where a collection is missing or hidden, 42501 where the '
    'tenant may not search it.';
alter function rag_internal.lexical_scope(rag_internal.identity, text[]) owner to rag_owner;
revoke all on function rag_internal.lexical_scope(rag_internal.identity, text[]) from public;
