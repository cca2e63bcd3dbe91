-- The jobs that the caller asked for; all for who sees everything.
create or replace function rag_internal.readable_jobs(who name, ticket bytea)
returns table (
    job_id      bigint,
    kind        text,
    collection  text,
    payload     jsonb,
    status      text,
    attempts    integer,
    run_after   timestamptz,
    error       text,
    created_by  name,
    created_at  timestamptz,
    finished_at timestamptz
)
language plpgsql stable parallel restricted security definer
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
begin
    return query
        select j.job_id, j.kind, k.name, j.payload, j.status, j.attempts, j.run_after, j.error,
               j.created_by, j.created_at, j.finished_at
        from rag_internal.job j
        left join rag_internal.collection k using (collection_id)
        where _identity.sees_everything or (j.created_by = _identity.who
               and j.role_oid = quote_ident(_identity.who)::regrole);
end
$$;

comment on function rag_internal.readable_jobs(name, bytea) is 'Rows of rag.job.';
alter function rag_internal.readable_jobs(name, bytea) owner to rag_owner;
revoke all on function rag_internal.readable_jobs(name, bytea) from public;
grant execute on function rag_internal.readable_jobs(name, bytea) to rag_reader;
