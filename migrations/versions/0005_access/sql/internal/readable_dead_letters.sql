-- The passages that were given up, of jobs that the caller asked for.
create or replace function rag_internal.readable_dead_letters(who name, ticket bytea)
returns table (
    job_id      bigint,
    collection  text,
    source      text,
    document_id uuid,
    chunk_index integer,
    model       text,
    attempts    integer,
    error       text,
    failed_at   timestamptz
)
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _redacted bigint[] := rag_internal.redacted_collections(_identity);
begin
    return query
        select t.job_id, k.name,
               case when d.collection_id = any (_redacted)
                    then rag_internal.redact_text(array[d.collection_id], d.source)
                    else d.source end, d.document_id, c.chunk_index, m.name,
               t.attempts::integer, t.error, t.failed_at
        from rag_internal.embedding_task t
        join rag_internal.job j using (job_id)
        join rag_internal.chunk c using (chunk_id)
        join rag_internal.document d using (document_id)
        join rag_internal.collection k on k.collection_id = d.collection_id
        join rag_internal.model m on m.model_id = t.model_id
        where t.is_dead and rag_internal.owns_job(j, _identity)
          and d.acl_id in (select rag_internal.visible_acls(_identity));
end
$$;

comment on function rag_internal.readable_dead_letters(name, bytea) is
    'Rows of rag.dead_letter.';
alter function rag_internal.readable_dead_letters(name, bytea) owner to rag_owner;
revoke all on function rag_internal.readable_dead_letters(name, bytea) from public;
grant execute on function rag_internal.readable_dead_letters(name, bytea) to rag_reader;
