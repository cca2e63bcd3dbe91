-- Removes a dataset with the runs by it.
create or replace function rag_internal.drop_dataset(who name, ticket bytea, name text)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _dataset rag_internal.dataset := rag_internal.own_dataset(
        rag_internal.authenticate(who, ticket), drop_dataset.name);
begin
    delete from rag_internal.dataset d where d.dataset_id = _dataset.dataset_id;
end
$$;

comment on function rag_internal.drop_dataset(name, bytea, text) is 'See rag.drop_dataset.';
alter function rag_internal.drop_dataset(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.drop_dataset(name, bytea, text) from public;
grant execute on function rag_internal.drop_dataset(name, bytea, text) to rag_writer;
