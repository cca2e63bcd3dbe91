-- Splits a text and, where it is to be embedded now, finds a vector for each passage.
create or replace function rag_internal.prepare_chunks(
    collection rag_internal.collection,
    document   rag_internal.document,
    embed      text
) returns rag_internal.prepared_chunk[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _model rag_internal.model;
    _chunks rag_internal.prepared_chunk[];
begin
    if (collection).model_id is not null then
        select m.* into _model from rag_internal.model m where m.model_id = (collection).model_id;
    end if;
    _chunks := array(
        select row(p, null, null, null)::rag_internal.prepared_chunk
        from rag_internal.split_text((document).content, (collection).strategy,
                                     (collection).chunk_size, (collection).overlap,
                                     (collection).min_chunk_size, _model, (document).source,
                                     (document).language, (document).mime) p
        order by p.chunk_index);
    return rag_internal.embed_chunks(_chunks, collection, _model, embed);
end
$$;

comment on function rag_internal.prepare_chunks(rag_internal.collection, rag_internal.document,
    text) is
    'Passages of a document; embed now: with their vectors under the collection''s model (see '
    'rag_internal.embed_chunks). Writes nothing.';
alter function rag_internal.prepare_chunks(rag_internal.collection, rag_internal.document,
    text) owner to rag_owner;
revoke all on function rag_internal.prepare_chunks(rag_internal.collection, rag_internal.document,
    text) from public;
