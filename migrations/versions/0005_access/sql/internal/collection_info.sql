-- What an identity may know of collections.
create or replace function rag_internal.collection_info(
    identity rag_internal.identity,
    names    text[]
) returns setof rag.collection_info
language sql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
    select k.name, rag_internal.owner_name(owner), k.description,
           case when rag_internal.owns_collection(identity, k)
                then array(select rag_internal.shown_name(p)
                           from rag_internal.acl_reader ar
                           join rag_internal.principal p using (principal_id)
                           where ar.acl_id = k.acl_id order by 1) end,
           k.strategy, k.chunk_size, k.overlap, k.min_chunk_size, coalesce(m.name, 'none'),
           k.text_config, k.search_defaults, seen.documents, seen.chunks, seen.characters,
           k.created_at, k.updated_at, k.min_value, k.title_weight, k.heading_weight, k.tenant,
           acl.security_level::integer,
           case when rag_internal.owns_collection(identity, k)
                then array(select rag_internal.shown_name(p)
                           from rag_internal.collection_writer w
                           join rag_internal.principal p using (principal_id)
                           where w.collection_id = k.collection_id order by 1) end
    from rag_internal.visible_collections(identity, names) k
    join rag_internal.principal owner on owner.principal_id = k.owner_id
    join rag_internal.acl on acl.acl_id = k.acl_id
    left join rag_internal.model m on m.model_id = k.model_id
    cross join lateral (
        select count(*) as documents, coalesce(sum(length(d.content)), 0)::bigint as characters,
               coalesce(sum((select count(*) from rag_internal.chunk c
                             where c.document_id = d.document_id)), 0)::bigint as chunks
        from rag_internal.document d
        where d.collection_id = k.collection_id
          and d.acl_id in (select rag_internal.visible_acls(identity))) seen
    order by k.name
$$;

comment on function rag_internal.collection_info(rag_internal.identity, text[]) is
    'A row per visible collection (names null: all); counts are of what the identity can see.';
alter function rag_internal.collection_info(rag_internal.identity, text[]) owner to rag_owner;
revoke all on function rag_internal.collection_info(rag_internal.identity, text[]) from public;
