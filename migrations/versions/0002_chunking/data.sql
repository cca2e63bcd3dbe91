-- The lexemes of texts that rag_internal.fold_text now folds otherwise: Arabic, and words with
-- characters in them that have no width.
do $$
declare
    _folded constant text :=
        '[\u00ad\u0600-\u08ff\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufb50-\ufefc'
        '\ufe00-\ufe0f\ufeff]';
    _document rag_internal.document;
    _collection rag_internal.collection;
begin
    for _document in
        select d.* from rag_internal.document d
        where d.content ~ _folded or d.title ~ _folded
    loop
        select k.* into _collection from rag_internal.collection k
        where k.collection_id = _document.collection_id;
        perform rag_internal.reindex_document(_document, _collection);
    end loop;
end
$$;
