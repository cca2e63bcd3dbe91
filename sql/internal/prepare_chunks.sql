-- Splits a text and finds a vector for each passage: equal text of the
-- tenant is not embedded twice.
create or replace function rag_internal.prepare_chunks(
    collection rag_internal.collection,
    document   rag_internal.document
)
returns rag_internal.prepared_chunk[]
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
    select array_agg(row(p, sha256(convert_to(format('%s|passage|%s', _model.revision,
                                                     coalesce(p.embed_text, p.content)), 'UTF8')),
                         null)::rag_internal.prepared_chunk
                     order by p.chunk_index)
    into _chunks
    from rag_internal.split_text((document).content, (collection).strategy,
                                 (collection).chunk_size, (collection).overlap,
                                 (collection).min_chunk_size, _model, (document).source,
                                 (document).language, (document).mime) p;
    if _model.model_id is null then
        return _chunks;
    end if;

    with known as (
        select distinct on (e.embed_hash) e.embed_hash, e.v
        from rag_internal.embedding e
        join rag_internal.collection k on k.collection_id = e.collection_id
        where e.model_id = _model.model_id
          and e.embed_hash in (select c.embed_hash from unnest(_chunks) c)
          and k.tenant = (collection).tenant
    ), missing as (
        select array_agg(t.content) as contents, array_agg(t.embed_hash) as hashes
        from (select distinct on (c.embed_hash) c.embed_hash,
                     coalesce((c.chunk).embed_text, (c.chunk).content) as content
              from unnest(_chunks) c
              where coalesce((c.chunk).value >= (collection).min_value, true)
                and c.embed_hash not in (select k.embed_hash from known k)) t
    ), embedded as (
        select n.embed_hash, n.v::@extschema:vector@.halfvec as v
        from missing m,
             unnest(m.hashes, rag_internal.embed_texts(m.contents, 'passage', _model))
                 n (embed_hash, v)
        where m.hashes is not null
        union all
        select k.embed_hash, k.v from known k
    )
    select array_agg(row(c.chunk, c.embed_hash, e.v)::rag_internal.prepared_chunk
                     order by (c.chunk).chunk_index)
    into _chunks
    from unnest(_chunks) c
    left join embedded e on e.embed_hash = c.embed_hash
                        and coalesce((c.chunk).value >= (collection).min_value, true);
    return _chunks;
end
$$;

comment on function rag_internal.prepare_chunks(rag_internal.collection, rag_internal.document) is
    'Passages of a document with their vectors under the collection''s model; null without a '
    'model, and for a passage below the collection''s min_value. Writes nothing.';
alter function rag_internal.prepare_chunks(rag_internal.collection,
    rag_internal.document) owner to rag_owner;
revoke all on function rag_internal.prepare_chunks(rag_internal.collection,
    rag_internal.document) from public;
