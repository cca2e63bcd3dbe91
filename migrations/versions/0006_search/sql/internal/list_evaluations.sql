-- The runs of the caller: those of others saw other passages.
create or replace function rag_internal.list_evaluations(who name, ticket bytea, dataset text)
returns setof rag.evaluation_run
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    return query
        select d.name, e.run_id, e.evaluated_at, e.reader, e.collections, e.settings, e.top_k,
               e.strategy, e.stage, e.queries, e.answered, e.ndcg_10, e.mrr_10, e.recall_5,
               e.recall_20, e.recall_50
        from rag_internal.evaluation e
        join rag_internal.dataset d using (dataset_id)
        where coalesce(d.name = list_evaluations.dataset, true)
          and (_identity.sees_everything
               or (d.owner_id = any (_identity.principal_ids) and d.tenant = _identity.tenant
                   and e.reader = _identity.reader and e.tenant = _identity.tenant))
        order by e.evaluated_at, e.run_id, e.stage_number;
end
$$;

comment on function rag_internal.list_evaluations(name, bytea, text) is 'See rag.list_evaluations.';
alter function rag_internal.list_evaluations(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.list_evaluations(name, bytea, text) from public;
grant execute on function rag_internal.list_evaluations(name, bytea, text) to rag_reader;
