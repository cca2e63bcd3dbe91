-- Keeps a dataset, in place of the caller's former one of the name.
create or replace function rag_internal.add_dataset(
    who         name,
    ticket      bytea,
    name        text,
    queries     jsonb,
    judgments   jsonb,
    collections text[],
    description text
) returns rag.dataset_info
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _owner_id bigint := rag_internal.owner_for(_identity);
    _dataset rag_internal.dataset;
    _fingerprint bytea;
    _info rag.dataset_info;
begin
    perform rag_internal.check_name(add_dataset.name);
    perform rag_internal.check_dataset(add_dataset.queries, add_dataset.judgments);
    if add_dataset.collections is not null then
        perform rag_internal.visible_collections(_identity, add_dataset.collections);
    end if;
    _fingerprint := sha256(convert_to(
        (select string_agg(e::text, ' ' order by e) from jsonb_array_elements(queries) e)
        || coalesce((select string_agg(e::text, ' ' order by e)
                     from jsonb_array_elements(judgments) e), ''), 'UTF8'));
    if _fingerprint is null then
        raise exception using errcode = '22023', message = 'a dataset needs a query';
    end if;

    insert into rag_internal.dataset as d (name, tenant, owner_id, description, collections,
                                           fingerprint)
    values (add_dataset.name, _identity.tenant, _owner_id, add_dataset.description,
            add_dataset.collections, _fingerprint)
    on conflict on constraint dataset_name_key do update
    set description = excluded.description, collections = excluded.collections,
        fingerprint = excluded.fingerprint, updated_at = clock_timestamp()
    returning d.* into _dataset;
    delete from rag_internal.dataset_query q where q.dataset_id = _dataset.dataset_id;
    insert into rag_internal.dataset_query (dataset_id, query_id, query)
    select _dataset.dataset_id, q.query_id, q.query
    from jsonb_to_recordset(add_dataset.queries) q (query_id text, query text);
    insert into rag_internal.judgment (dataset_id, query_id, collection, source, start_offset,
                                       end_offset, relevance)
    select _dataset.dataset_id, j.query_id, j.collection, j.source, j.start_offset, j.end_offset,
           max(j.relevance)
    from jsonb_to_recordset(add_dataset.judgments)
         j (query_id text, collection text, source text, start_offset integer, end_offset integer,
            relevance integer)
    group by j.query_id, j.collection, j.source, j.start_offset, j.end_offset;

    select i.* into _info
    from rag_internal.list_datasets(who, ticket) i
    where i.name = _dataset.name
      and i.owner = (select rag_internal.owner_name(p) from rag_internal.principal p
                     where p.principal_id = _owner_id);
    return _info;
end
$$;

comment on function rag_internal.add_dataset(name, bytea, text, jsonb, jsonb, text[], text) is
    'See rag.add_dataset.';
alter function rag_internal.add_dataset(name, bytea, text, jsonb, jsonb, text[], text) owner to
    rag_owner;
revoke all on function rag_internal.add_dataset(name, bytea, text, jsonb, jsonb, text[], text) from
    public;
grant execute on function rag_internal.add_dataset(name, bytea, text, jsonb, jsonb, text[], text) to
    rag_writer;
