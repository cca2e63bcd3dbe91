-- The collections that a search looks in: those named, else all that the identity knows of and its
-- tenant may search.
create or replace function rag_internal.search_collections(
    identity rag_internal.identity,
    names    text[]
) returns bigint[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _collections rag_internal.collection[];
    _is_restricted boolean := not (identity).sees_everything
        and exists (select from rag_internal.restricted_tenant r
                    where r.tenant = (identity).tenant);
begin
    perform rag_internal.check_sources(identity, names, 'search');
    if not _is_restricted then
        return array(
            select k.collection_id from rag_internal.visible_collections(identity, names) k);
    end if;
    _collections := array(
        select k
        from rag_internal.visible_collections(identity, names) k
        where names is not null
           or k.name in (select s.collection from rag_internal.allowed_source s
                         where s.tenant = (identity).tenant and s.may_search));
    perform rag_internal.check_sources(
        identity, array(select c.name from unnest(_collections) c), 'search', is_real => true);
    return array(select c.collection_id from unnest(_collections) c);
end
$$;

comment on function rag_internal.search_collections(rag_internal.identity, text[]) is
    'collection_id of each; P0002 for one that is missing or hidden, 42501 for one that the tenant '
    'may not search.';
alter function rag_internal.search_collections(rag_internal.identity, text[]) owner to rag_owner;
revoke all on function rag_internal.search_collections(rag_internal.identity, text[]) from public;
