-- Renews the lexemes of a document's passages and its entry in the lexical index; nothing is split
-- or embedded.
create or replace function rag_internal.reindex_document(
    document   rag_internal.document,
    collection rag_internal.collection
) returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _text_config text := rag_internal.text_config_for((document).language,
                                                      (collection).text_config);
begin
    update rag_internal.chunk c
    set tsv = rag_internal.index_text((document).title, c.heading, c.content, _text_config,
                                      (collection).title_weight, (collection).heading_weight),
        words_skipped = rag_internal.words_skipped(c.content)
    where c.document_id = (document).document_id;
    -- a change of configuration indexes by itself
    update rag_internal.document d
    set text_config = _text_config,
        indexed_as = d.indexed_as || jsonb_build_object('text_config', _text_config)
    where d.document_id = (document).document_id
      and (d.text_config, d.indexed_as ->> 'text_config') is distinct from
          (_text_config, _text_config);
    if (document).text_config = _text_config then
        perform rag_internal.index_document((document).document_id);
    end if;
end
$$;

comment on function rag_internal.reindex_document(rag_internal.document, rag_internal.collection) is
    'Computes the lexemes of a document''s passages anew, under its language or its collection''s '
    'configuration.';
alter function rag_internal.reindex_document(rag_internal.document,
    rag_internal.collection) owner to rag_owner;
revoke all on function rag_internal.reindex_document(rag_internal.document,
    rag_internal.collection) from public;
