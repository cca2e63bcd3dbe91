-- The jobs that the caller asked for; all for who sees everything. A job is done as soon as none of
-- its passages waits, whoever saw to that.
create or replace function rag_internal.readable_jobs(who name, ticket bytea)
returns table (
    job_id      bigint,
    kind        text,
    collection  text,
    status      text,
    total       integer,
    done        integer,
    waiting     integer,
    failed      integer,
    error       text,
    created_by  name,
    created_at  timestamptz,
    finished_at timestamptz
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
begin
    return query
        select j.job_id, j.kind, k.name,
               case when j.status in ('queued', 'running', 'failed') and s.open = 0
                    then case when s.dead > 0 then 'failed' else 'done' end
                    else j.status end,
               j.total, greatest(j.total - s.open - s.dead, 0), s.open, s.dead,
               coalesce(s.error, p.reason), j.created_by, j.created_at, j.finished_at
        from rag_internal.job j
        left join rag_internal.visible_collections(_identity, null) k using (collection_id)
        cross join lateral (
            select (count(*) filter (where not t.is_dead))::integer as open,
                   (count(*) filter (where t.is_dead))::integer as dead, max(t.error) as error
            from rag_internal.embedding_task t
            where t.job_id = j.job_id) s
        left join lateral (
            select max(n.reason) as reason
            from rag_internal.provider_pause n
            where s.open > 0 and n.until > clock_timestamp()
              and exists (select from rag_internal.embedding_task t
                          where t.job_id = j.job_id and t.model_id = n.model_id)) p on true
        where rag_internal.owns_job(j, _identity);
end
$$;

comment on function rag_internal.readable_jobs(name, bytea) is
    'Rows of rag.job_status.';
alter function rag_internal.readable_jobs(name, bytea) owner to rag_owner;
revoke all on function rag_internal.readable_jobs(name, bytea) from public;
grant execute on function rag_internal.readable_jobs(name, bytea) to rag_reader;
