-- Renews the lexemes and words of a document's passages; nothing is split or embedded.
create or replace function rag_internal.reindex_document(
    document   rag_internal.document,
    collection rag_internal.collection
) returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    update rag_internal.chunk c
    set tsv = n.tsv,
        lexeme_count = rag_internal.count_lexemes(n.tsv),
        surface = rag_internal.surface_forms(concat_ws(' ', (document).title, c.content))
    from (select o.chunk_id,
                 rag_internal.index_text((document).title, o.content,
                                         (collection).text_config) as tsv
          from rag_internal.chunk o
          where o.document_id = (document).document_id) n
    where c.chunk_id = n.chunk_id;
    perform rag_internal.add_words((document).document_id);
end
$$;

comment on function rag_internal.reindex_document(rag_internal.document, rag_internal.collection) is
    'Computes tsv, lexeme_count and surface of a document''s passages anew.';
alter function rag_internal.reindex_document(rag_internal.document,
    rag_internal.collection) owner to rag_owner;
revoke all on function rag_internal.reindex_document(rag_internal.document,
    rag_internal.collection) from public;
