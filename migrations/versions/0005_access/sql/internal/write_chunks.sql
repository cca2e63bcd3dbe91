-- Replaces the passages of a document.
create or replace function rag_internal.write_chunks(
    document   rag_internal.document,
    collection rag_internal.collection,
    chunks     rag_internal.prepared_chunk[],
    identity   rag_internal.identity
) returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _storage text := (select m.storage from rag_internal.model m
                      where m.model_id = (collection).model_id);
    _job_id bigint;
begin
    delete from rag_internal.chunk c where c.document_id = (document).document_id;
    with written as (
        insert into rag_internal.chunk (document_id, chunk_index, content, embed_text, start_offset,
                               end_offset, start_line, end_line, heading, section_start,
                               section_end, kind, token_count, value, tsv, words_skipped)
        select (document).document_id, p.chunk_index, p.content, p.embed_text, p.start_offset,
               p.end_offset, p.start_line, p.end_line, p.heading, p.section_start, p.section_end,
               p.kind, p.token_count, p.value,
               rag_internal.index_text((document).title, p.heading, p.content,
                                       (document).text_config, (collection).title_weight,
                                       (collection).heading_weight),
               rag_internal.words_skipped(p.content)
        from unnest(chunks) c
        cross join lateral (select (c.chunk).*) p
        returning chunk_id, chunk_index
    )
    insert into rag_internal.embedding (model_id, chunk_id, acl_id, collection_id, embed_hash, v,
                                        full_v)
    select (collection).model_id, w.chunk_id, (document).acl_id, (document).collection_id,
           c.embed_hash,
           case when _storage = 'halfvec' then c.v::@extschema:vector@.halfvec end,
           case when _storage = 'vector' then c.v end
    from written w join unnest(chunks) c on (c.chunk).chunk_index = w.chunk_index
    where c.v is not null;

    perform rag_internal.index_document((document).document_id);
    _job_id := rag_internal.queue_embeddings(collection, (document).document_id, null, identity);
    perform rag_internal.bury_failed(document, collection, chunks);
    return _job_id;
end
$$;

comment on function rag_internal.write_chunks(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], rag_internal.identity) is
    'Writes passages, lexemes and vectors of a document in place of those it had; the job that '
    'makes the vectors still missing, or null.';
alter function rag_internal.write_chunks(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.write_chunks(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], rag_internal.identity) from public;
