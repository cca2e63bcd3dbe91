-- Forgets old records of searches.
create or replace function rag_internal.prune_search_log(
    who        name,
    ticket     bytea,
    older_than interval
) returns bigint
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
begin
    perform rag_internal.require_admin(rag_internal.authenticate(who, ticket),
                                       'forget records of searches');
    return rag_internal.forget_searches(older_than);
end
$$;

comment on function rag_internal.prune_search_log(name, bytea, interval) is
    'See rag.prune_search_log.';
alter function rag_internal.prune_search_log(name, bytea, interval) owner to rag_owner;
revoke all on function rag_internal.prune_search_log(name, bytea, interval) from public;
grant execute on function rag_internal.prune_search_log(name, bytea, interval) to rag_admin;
