-- Removes all versions of a source that the identity can read, from a collection that it may write
-- to. A version that is hidden from it stays, and nothing tells of it.
create or replace function rag_internal.delete_source(
    who        name,
    ticket     bytea,
    collection text,
    source     text
) returns setof rag.removal
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection rag_internal.collection := rag_internal.own_collection(
        _identity, delete_source.collection, false, true);
    _document_ids uuid[];
begin
    _document_ids := array(
        select d.document_id
        from rag_internal.document d
        where d.collection_id = _collection.collection_id and d.source = delete_source.source
          and d.acl_id in (select rag_internal.visible_acls(_identity))
        order by d.document_id
        for update);
    if _document_ids = '{}' then
        raise exception using
            errcode = 'P0002',
            message = format('collection "%s" has no document "%s" that you can see',
                             _collection.name, coalesce(delete_source.source, 'null')),
            hint    = 'select source from rag.document shows those that there are.';
    end if;
    return query select r.* from rag_internal.delete_documents(_identity, _document_ids) r;
end
$$;

comment on function rag_internal.delete_source(name, bytea, text, text) is 'See rag.delete_source.';
alter function rag_internal.delete_source(name, bytea, text, text) owner to rag_owner;
revoke all on function rag_internal.delete_source(name, bytea, text, text) from public;
grant execute on function rag_internal.delete_source(name, bytea, text, text) to rag_writer;
