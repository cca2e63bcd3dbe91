-- Does what a claim holds. The texts are read, embedded without any lock, and written where the
-- text, its document and the claim are still what they were; whoever is changing them at this
-- moment is not waited for.
create or replace function rag_internal.embed_claimed(who name, ticket bytea, claim_id uuid)
returns integer
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _model rag_internal.model;
    _chunk_ids bigint[];
    _contents text[];
    _job_ids bigint[];
    _outcomes rag_internal.embedded_text[] := '{}';
    _finished integer;
begin
    perform rag_internal.require_read_committed('rag.embed_claimed');
    select m.* into _model
    from rag_internal.model m
    where m.model_id = (select t.model_id from rag_internal.embedding_task t
                        where t.claim_id = embed_claimed.claim_id limit 1);
    if not found then
        return 0;
    end if;
    select array_agg(c.chunk_id order by c.chunk_id) filter (where j.status <> 'cancelled'),
           array_agg(coalesce(c.embed_text, c.content) order by c.chunk_id)
               filter (where j.status <> 'cancelled'),
           array_agg(distinct t.job_id)
    into _chunk_ids, _contents, _job_ids
    from rag_internal.embedding_task t
    join rag_internal.job j using (job_id)
    join rag_internal.chunk c using (chunk_id)
    where t.claim_id = embed_claimed.claim_id and rag_internal.owns_job(j, _identity);
    if _chunk_ids is null then
        perform rag_internal.finish_jobs(_job_ids);
        return 0;
    end if;

    _outcomes := array(select o from rag_internal.embed_passages(_contents, _model) o);
    _finished := rag_internal.write_embeddings(_model, _chunk_ids,
                                               _contents, _outcomes);
    perform rag_internal.record_failures(embed_claimed.claim_id, _model, _chunk_ids, _contents,
                                         _outcomes);
    perform rag_internal.finish_jobs(_job_ids);
    return _finished;
end
$$;

comment on function rag_internal.embed_claimed(name, bytea, uuid) is
    'See rag.embed_claimed.';
alter function rag_internal.embed_claimed(name, bytea, uuid) owner to rag_owner;
revoke all on function rag_internal.embed_claimed(name, bytea, uuid) from public;
grant execute on function rag_internal.embed_claimed(name, bytea, uuid) to rag_writer;
