-- Adds up how well documents are cut, over what the caller can see.
create or replace function rag_internal.chunk_quality(
    who         name,
    ticket      bytea,
    document_id uuid,
    collection  text
) returns rag.chunking_quality
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection rag_internal.collection;
    _result rag.chunking_quality;
begin
    if num_nonnulls(chunk_quality.document_id, chunk_quality.collection) <> 1 then
        raise exception using
            errcode = '22023',
            message = 'give either document_id or collection',
            hint    = 'For example: rag.chunk_quality(collection => ''handbook'').';
    end if;
    if chunk_quality.collection is not null then
        select k.* into strict _collection
        from rag_internal.visible_collections(_identity, array[chunk_quality.collection]) k;
    end if;

    with measured as (
        select rag_internal.chunk_counts(d.content, s.starts, s.ends, s.kinds, s.token_counts,
                                         d.indexed_as, m, d.source, d.mime) as counts
        from rag_internal.document d
        join rag_internal.collection k using (collection_id)
        left join rag_internal.model m using (model_id)
        cross join lateral (
            select array_agg(c.start_offset order by c.chunk_index) as starts,
                   array_agg(c.end_offset order by c.chunk_index) as ends,
                   array_agg(c.kind order by c.chunk_index) as kinds,
                   array_agg(c.token_count order by c.chunk_index) as token_counts
            from rag_internal.chunk c
            where c.document_id = d.document_id) s
        where d.acl_id in (select rag_internal.visible_acls(_identity))
          and (d.document_id = chunk_quality.document_id
               or d.collection_id = _collection.collection_id)
    )
    select count(*), coalesce(sum((counts).chunks), 0), coalesce(sum((counts).split_fences), 0),
           coalesce(sum((counts).split_tables), 0), coalesce(sum((counts).cut_lists), 0),
           coalesce(sum((counts).cut_sentences), 0),
           sum((counts).within_size)::real / nullif(sum((counts).chunks), 0),
           sum((counts).characters_covered)::real / nullif(sum((counts).characters_total), 0)
    into _result
    from measured;
    if _result.documents = 0 and chunk_quality.document_id is not null then
        raise exception using
            errcode = 'P0002',
            message = format('document %s does not exist or is not visible to you',
                             chunk_quality.document_id),
            hint    = 'select document_id, source from rag.document shows those that are.';
    end if;
    return _result;
end
$$;

comment on function rag_internal.chunk_quality(name, bytea, uuid, text) is 'See rag.chunk_quality.';
alter function rag_internal.chunk_quality(name, bytea, uuid, text) owner to rag_owner;
revoke all on function rag_internal.chunk_quality(name, bytea, uuid, text) from public;
grant execute on function rag_internal.chunk_quality(name, bytea, uuid, text) to rag_reader;
