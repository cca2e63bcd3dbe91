-- Stores vectors that were made elsewhere.
create or replace function rag_internal.set_embeddings(
    who          name,
    ticket       bytea,
    document_id  uuid,
    embeddings   @extschema:vector@.vector[],
    model        text,
    content_hash bytea
) returns integer
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _document rag_internal.document := rag_internal.owned_document(
        rag_internal.authenticate(who, ticket), set_embeddings.document_id, false);
    _collection rag_internal.collection;
    _model rag_internal.model;
    _chunks integer;
    _job_ids bigint[];
    _written integer;
begin
    select k.* into _collection from rag_internal.collection k
    where k.collection_id = _document.collection_id;
    select m.* into _model
    from rag_internal.model m
    where case when set_embeddings.model is null then m.model_id = _collection.model_id
               else m.name = set_embeddings.model end
      and (m.model_id = _collection.model_id
           or m.model_id in (select n.model_id from rag_internal.collection_model n
                             where n.collection_id = _collection.collection_id));
    if not found then
        raise exception using
            errcode = '22023',
            message = format('collection "%s" keeps no vectors under %s', _collection.name,
                             coalesce(format('model "%s"', set_embeddings.model), 'a model')),
            hint    = 'rag.prepare_model(collection, model) makes it keep them.';
    elsif set_embeddings.content_hash <> _document.content_hash then
        raise exception using
            errcode = '40001',
            message = format('document "%s" has changed since its passages were read',
                             _document.source),
            hint    = 'Read its passages with rag.get_chunks again, and embed those.';
    end if;
    select count(*) into _chunks from rag_internal.chunk c
    where c.document_id = _document.document_id;
    if coalesce(cardinality(embeddings), 0) <> _chunks then
        raise exception using
            errcode = '22023',
            message = format('%s vectors for the %s passages of document %s',
                             coalesce(cardinality(embeddings), 0), _chunks, _document.document_id),
            hint    = 'One for each row of rag.get_chunks(document_id), in its order; null leaves '
                      'a passage as it is.';
    end if;

    with given as materialized (
        select c.chunk_id, rag_internal.embed_hash(_model.revision,
                                                   coalesce(c.embed_text, c.content)) as embed_hash,
               rag_internal.check_vector(n.v, _model, format('vector %s', n.number)) as v
        from unnest(embeddings) with ordinality n (v, number)
        join (select c.*, row_number() over (order by c.chunk_index) as number
              from rag_internal.chunk c
              where c.document_id = _document.document_id) c using (number)
        where n.v is not null
    ), stored as (
        insert into rag_internal.embedding (model_id, chunk_id, acl_id, collection_id, embed_hash,
                                            v, full_v)
        select _model.model_id, g.chunk_id, _document.acl_id, _document.collection_id,
               g.embed_hash,
               case when _model.storage = 'halfvec' then g.v::@extschema:vector@.halfvec end,
               case when _model.storage = 'vector' then g.v end
        from given g
        on conflict on constraint embedding_pkey do update
        set embed_hash = excluded.embed_hash, v = excluded.v, full_v = excluded.full_v
        returning chunk_id
    ), settled as (
        delete from rag_internal.embedding_task t
        using given g
        where t.model_id = _model.model_id and t.chunk_id = g.chunk_id
        returning t.job_id
    )
    select (select count(*) from stored), (select array_agg(distinct s.job_id) from settled s)
    into _written, _job_ids;
    perform rag_internal.finish_jobs(_job_ids);
    return _written;
end
$$;

comment on function rag_internal.set_embeddings(name, bytea, uuid, @extschema:vector@.vector[],
    text, bytea) is
    'See rag.set_embeddings.';
alter function rag_internal.set_embeddings(name, bytea, uuid, @extschema:vector@.vector[], text,
    bytea) owner to rag_owner;
revoke all on function rag_internal.set_embeddings(name, bytea, uuid, @extschema:vector@.vector[],
    text, bytea) from public;
grant execute on function rag_internal.set_embeddings(name, bytea, uuid,
    @extschema:vector@.vector[], text, bytea) to rag_writer;
