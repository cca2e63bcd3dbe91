-- Documents as they are told of when they are removed.
create or replace function rag_internal.removals(document_ids uuid[]) returns setof rag.removal
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select 'document', d.document_id, k.name, d.source, d.version,
           (select count(*) from rag_internal.chunk c where c.document_id = d.document_id),
           (select count(*)
            from rag_internal.chunk c join rag_internal.embedding e using (chunk_id)
            where c.document_id = d.document_id),
           null::bigint
    from rag_internal.document d
    join rag_internal.collection k using (collection_id)
    where d.document_id = any (document_ids)
    order by k.name, d.source, d.version, d.document_id
$$;

comment on function rag_internal.removals(uuid[]) is
    'A row of kind document for each of these, with its passages and vectors.';
alter function rag_internal.removals(uuid[]) owner to rag_owner;
revoke all on function rag_internal.removals(uuid[]) from public;
