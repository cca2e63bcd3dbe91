-- The datasets of the caller.
create or replace function rag_internal.list_datasets(who name, ticket bytea)
returns setof rag.dataset_info
language sql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
    select d.name, rag_internal.owner_name(p), d.description, d.collections,
           (select count(*) from rag_internal.dataset_query q
            where q.dataset_id = d.dataset_id)::integer,
           (select count(*) from rag_internal.judgment j
            where j.dataset_id = d.dataset_id)::integer,
           d.created_at, d.updated_at
    from rag_internal.authenticate(who, ticket) i
    join rag_internal.dataset d
      on i.sees_everything or (d.owner_id = any (i.principal_ids) and d.tenant = i.tenant)
    join rag_internal.principal p on p.principal_id = d.owner_id
    order by 1, 2
$$;

comment on function rag_internal.list_datasets(name, bytea) is 'See rag.list_datasets.';
alter function rag_internal.list_datasets(name, bytea) owner to rag_owner;
revoke all on function rag_internal.list_datasets(name, bytea) from public;
grant execute on function rag_internal.list_datasets(name, bytea) to rag_reader;
