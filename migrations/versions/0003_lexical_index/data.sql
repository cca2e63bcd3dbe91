-- The lexemes of all documents, which the analyzer that now stands makes otherwise.
do $$
declare
    _document rag_internal.document;
    _collection rag_internal.collection;
begin
    for _document in select d.* from rag_internal.document d loop
        select k.* into _collection from rag_internal.collection k
        where k.collection_id = _document.collection_id;
        perform rag_internal.reindex_document(_document, _collection);
    end loop;
    if to_regprocedure('rag_internal.analyzer_stamp(text)') is not null then
        execute 'update rag_internal.collection k '
                'set analyzed_as = rag_internal.analyzer_stamp(k.text_config)';
    end if;
end
$$;
