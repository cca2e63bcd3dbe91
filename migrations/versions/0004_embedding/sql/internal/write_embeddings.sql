-- Stores what a claim's texts became. Rows that somebody else holds are left for another attempt:
-- their text or their readers are changing. A claim that ran out is no reason to throw a vector
-- away: whoever has the passage by now finds it done.
create or replace function rag_internal.write_embeddings(
    model     rag_internal.model,
    chunk_ids bigint[],
    contents  text[],
    outcomes  rag_internal.embedded_text[]
) returns integer
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _written integer;
begin
    with embedded as materialized (
        select i.chunk_id, i.content, o.v
        from unnest(chunk_ids, contents) with ordinality i (chunk_id, content, number)
        join unnest(outcomes) o on o.number = i.number
        where o.v is not null
    ), settled as materialized (
        -- first of all, as in an ingest: it has its document before the tasks of its passages
        select t.chunk_id, d.acl_id, d.collection_id, coalesce(c.embed_text, c.content) as content
        from rag_internal.embedding_task t
        join rag_internal.chunk c using (chunk_id)
        join rag_internal.document d using (document_id)
        where t.model_id = (model).model_id and t.chunk_id = any (chunk_ids) and not t.is_dead
        order by d.document_id, t.chunk_id
        for share of d, c skip locked
    ), held as materialized (
        select s.*
        from settled s
        join rag_internal.embedding_task t
          on t.model_id = (model).model_id and t.chunk_id = s.chunk_id
        where not t.is_dead
        for update of t skip locked
    ), stored as (
        insert into rag_internal.embedding (model_id, chunk_id, acl_id, collection_id, embed_hash,
                                            v, full_v)
        select (model).model_id, h.chunk_id, h.acl_id, h.collection_id,
               rag_internal.embed_hash((model).revision, h.content),
               case when (model).storage = 'halfvec' then e.v::@extschema:vector@.halfvec end,
               case when (model).storage = 'vector' then e.v end
        from held h
        join embedded e on e.chunk_id = h.chunk_id and e.content = h.content
        on conflict on constraint embedding_pkey do nothing
    ), done as (
        delete from rag_internal.embedding_task t
        using held h
        join embedded e on e.chunk_id = h.chunk_id and e.content = h.content
        where t.model_id = (model).model_id and t.chunk_id = h.chunk_id
        returning t.chunk_id
    )
    select count(*) into _written from done;
    if _written > 0 then
        -- a pause that lasts was asked for after these texts were sent
        delete from rag_internal.provider_pause p
        where p.model_id = (model).model_id and p.until <= clock_timestamp();
    end if;
    return _written;
end
$$;

comment on function rag_internal.write_embeddings(rag_internal.model, bigint[], text[],
    rag_internal.embedded_text[]) is
    'Writes the vectors whose text is still the same and removes their tasks; how many.';
alter function rag_internal.write_embeddings(rag_internal.model, bigint[], text[],
    rag_internal.embedded_text[]) owner to rag_owner;
revoke all on function rag_internal.write_embeddings(rag_internal.model, bigint[], text[],
    rag_internal.embedded_text[]) from public;
