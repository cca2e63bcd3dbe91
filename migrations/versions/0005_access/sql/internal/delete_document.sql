-- Removes a document with its passages and vectors.
create or replace function rag_internal.delete_document(who name, ticket bytea, document_id uuid)
returns setof rag.removal
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    perform rag_internal.owned_document(_identity, delete_document.document_id, false,
                                        or_write => true);
    return query
        select r.* from rag_internal.delete_documents(
            _identity, array[delete_document.document_id]) r;
end
$$;

comment on function rag_internal.delete_document(name, bytea, uuid) is 'See rag.delete_document.';
alter function rag_internal.delete_document(name, bytea, uuid) owner to rag_owner;
revoke all on function rag_internal.delete_document(name, bytea, uuid) from public;
grant execute on function rag_internal.delete_document(name, bytea, uuid) to rag_writer;
