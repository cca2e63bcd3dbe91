-- The loads that the caller ran; all for who sees everything.
create or replace function rag_internal.readable_ingest_log(who name, ticket bytea)
returns table (
    run_id      uuid,
    logged_at   timestamptz,
    user_name   name,
    collection  text,
    source      text,
    outcome     text,
    document_id uuid,
    chunks      integer,
    detail      text
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
        select l.run_id, l.logged_at, l.user_name, l.collection, l.source, l.outcome,
               l.document_id, l.chunks, l.detail
        from rag_internal.ingest_log l
        where rag_internal.owns_work(l.user_name, l.role_oid, l.reader, l.tenant, _identity);
end
$$;

comment on function rag_internal.readable_ingest_log(name, bytea) is 'Rows of rag.ingest_log.';
alter function rag_internal.readable_ingest_log(name, bytea) owner to rag_owner;
revoke all on function rag_internal.readable_ingest_log(name, bytea) from public;
grant execute on function rag_internal.readable_ingest_log(name, bytea) to rag_reader;
