-- An ingest that embeds now makes the vectors that an earlier one left to a job, or that were given
-- up, of the passages as they are.
create or replace function rag_internal.embed_waiting(
    document   rag_internal.document,
    collection rag_internal.collection
) returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _model rag_internal.model;
    _chunk_ids bigint[];
    _contents text[];
    _outcomes rag_internal.embedded_text[];
    _fault rag_internal.embedded_text;
    _job_ids bigint[];
begin
    select array_agg(c.chunk_id order by c.chunk_id),
           array_agg(coalesce(c.embed_text, c.content) order by c.chunk_id),
           array_agg(distinct t.job_id)
    into _chunk_ids, _contents, _job_ids
    from rag_internal.chunk c
    join rag_internal.embedding_task t using (chunk_id)
    where c.document_id = (document).document_id and t.model_id = (collection).model_id
      and t.job_id is not null;
    if _chunk_ids is null then
        return;
    end if;
    select m.* into _model from rag_internal.model m where m.model_id = (collection).model_id;
    _outcomes := array(select o from rag_internal.embed_passages(_contents, _model) o);
    select o.* into _fault from unnest(_outcomes) o where o.is_provider_fault limit 1;
    if found then
        raise exception using errcode = '55000', message = _fault.error, hint = _fault.hint;
    end if;
    update rag_internal.embedding_task t
    set is_dead = false, attempts = 0, error = null
    where t.model_id = _model.model_id and t.chunk_id = any (_chunk_ids) and t.is_dead;
    perform rag_internal.write_embeddings(_model, _chunk_ids, _contents, _outcomes);
    update rag_internal.embedding_task t
    set is_dead = true, claim_id = null, attempts = 1, error = o.error,
        failed_at = clock_timestamp()
    from unnest(_outcomes) o
    where t.model_id = _model.model_id and t.chunk_id = _chunk_ids[o.number]
      and o.error is not null;
    perform rag_internal.finish_jobs(_job_ids);
end
$$;

comment on function rag_internal.embed_waiting(rag_internal.document, rag_internal.collection) is
    'Embeds what waits in the document under the model that its collection is searched by; a text '
    'that fails again stays as it is. 55000 where the model cannot be used.';
alter function rag_internal.embed_waiting(rag_internal.document,
    rag_internal.collection) owner to rag_owner;
revoke all on function rag_internal.embed_waiting(rag_internal.document,
    rag_internal.collection) from public;
