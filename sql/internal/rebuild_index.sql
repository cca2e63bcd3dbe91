-- Makes a collection's part of the lexical index anew from its documents.
create or replace function rag_internal.rebuild_index(who name, ticket bytea, collection text)
returns bigint
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
        _identity, rebuild_index.collection, true);
    _document rag_internal.document;
    _config text;
begin
    perform rag_internal.require_read_committed('rag.rebuild_index');
    for _document in
        select d.* from rag_internal.document d
        where d.collection_id = _collection.collection_id
        for update
    loop
        perform rag_internal.reindex_document(_document, _collection);
    end loop;
    perform rag_internal.bury_strays(_collection.collection_id);
    for _config in
        select distinct d.text_config from rag_internal.document d
        where d.collection_id = _collection.collection_id
    loop
        while rag_internal.build_segment(_config) >= 2048 loop
            null;
        end loop;
    end loop;
    update rag_internal.collection k
    set analyzed_as = rag_internal.analyzer_stamp(k.text_config)
    where k.collection_id = _collection.collection_id;
    -- what the caller cannot see is not counted
    return (select count(*)
            from rag_internal.chunk c join rag_internal.document d using (document_id)
            where d.collection_id = _collection.collection_id
              and d.acl_id in (select rag_internal.visible_acls(_identity)));
end
$$;

comment on function rag_internal.rebuild_index(name, bytea, text) is
    'See rag.rebuild_index.';
alter function rag_internal.rebuild_index(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.rebuild_index(name, bytea, text) from public;
grant execute on function rag_internal.rebuild_index(name, bytea, text) to rag_writer;
