-- Looks for differences between the lexical index and the passages of a collection.
create or replace function rag_internal.verify_index(who name, ticket bytea, collection text)
returns setof rag.index_difference
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    -- of documents that the caller cannot see it is silent; what is no document's, is nobody's
    return query
        select i.*
        from rag_internal.index_differences(rag_internal.own_collection(
                 _identity, verify_index.collection, null)) i
        left join rag_internal.document d using (document_id)
        where d.document_id is null
           or d.acl_id in (select rag_internal.visible_acls(_identity));
end
$$;

comment on function rag_internal.verify_index(name, bytea, text) is
    'See rag.verify_index.';
alter function rag_internal.verify_index(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.verify_index(name, bytea, text) from public;
grant execute on function rag_internal.verify_index(name, bytea, text) to rag_writer;
