-- Vectors for passages that are about to be stored: given, known, or made now. Slow, and before the
-- first row is written. Known are those of the same owner alone: another's would tell that he has
-- the text, and may be a vector that he gave.
create or replace function rag_internal.embed_chunks(
    chunks     rag_internal.prepared_chunk[],
    collection rag_internal.collection,
    model      rag_internal.model,
    embed      text
) returns rag_internal.prepared_chunk[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _contents text[];
    _hashes bytea[];
    _outcomes rag_internal.embedded_text[] := '{}';
    _fault rag_internal.embedded_text;
begin
    if (model).model_id is null then
        return chunks;
    end if;
    chunks := array(
        select row(c.chunk,
                   rag_internal.embed_hash((model).revision, coalesce((c.chunk).embed_text,
                                                                      (c.chunk).content)),
                   c.v, c.error)::rag_internal.prepared_chunk
        from unnest(chunks) with ordinality c (chunk, embed_hash, v, error, number)
        order by c.number);
    chunks := array(
        select row(c.chunk, c.embed_hash, coalesce(c.v, known.v), c.error)
               ::rag_internal.prepared_chunk
        from unnest(chunks) with ordinality c (chunk, embed_hash, v, error, number)
        left join lateral (
            select coalesce(e.full_v, e.v::@extschema:vector@.vector) as v
            from rag_internal.embedding e
            join rag_internal.collection k on k.collection_id = e.collection_id
            where e.model_id = (model).model_id and e.embed_hash = c.embed_hash
              and k.owner_id = (collection).owner_id
            limit 1) known on c.v is null
                          and coalesce((c.chunk).value >= (collection).min_value, true)
        order by c.number);
    if embed = 'later' then
        return chunks;
    end if;

    select array_agg(t.content), array_agg(t.embed_hash) into _contents, _hashes
    from (select distinct on (c.embed_hash) c.embed_hash,
                 coalesce((c.chunk).embed_text, (c.chunk).content) as content
          from unnest(chunks) c
          where c.v is null and coalesce((c.chunk).value >= (collection).min_value, true)) t;
    if _hashes is null then
        return chunks;
    end if;
    _outcomes := array(select o from rag_internal.embed_passages(_contents, model) o);
    select o.* into _fault from unnest(_outcomes) o where o.is_provider_fault limit 1;
    if found then
        raise exception using
            errcode = '55000',
            message = _fault.error,
            hint    = concat_ws(' ', _fault.hint, case when (model).provider = 'external'
                          then 'Or ingest with embed => ''later'', and hand the vectors in with '
                               'rag.set_embeddings.'
                          else 'Or ingest with embed => ''later'': the text is found by its words '
                               'at once, and by meaning once it is embedded.' end);
    end if;
    return array(
        select row(c.chunk, c.embed_hash, coalesce(c.v, o.v), o.error)::rag_internal.prepared_chunk
        from unnest(chunks) with ordinality c (chunk, embed_hash, v, error, number)
        left join unnest(_hashes) with ordinality h (embed_hash, number)
               on h.embed_hash = c.embed_hash and c.v is null
              and coalesce((c.chunk).value >= (collection).min_value, true)
        left join unnest(_outcomes) o on o.number = h.number
        order by c.number);
end
$$;

comment on function rag_internal.embed_chunks(rag_internal.prepared_chunk[],
    rag_internal.collection, rag_internal.model, text) is
    'The passages with embed_hash and vector; error where the model could not embed a text. A '
    'passage below min_value stays without, and embed later finds known vectors alone. 55000 '
    'where the model cannot be used.';
alter function rag_internal.embed_chunks(rag_internal.prepared_chunk[], rag_internal.collection,
    rag_internal.model, text) owner to rag_owner;
revoke all on function rag_internal.embed_chunks(rag_internal.prepared_chunk[],
    rag_internal.collection, rag_internal.model, text) from public;
