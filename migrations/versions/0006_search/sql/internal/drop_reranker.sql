-- Removes a reranker.
create or replace function rag_internal.drop_reranker(who name, ticket bytea, name text)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
-- what waits for these locks keeps everybody waiting
set lock_timeout = '5s'
as $$
begin
    perform rag_internal.require_admin(rag_internal.authenticate(who, ticket),
                                       'remove a reranker');
    perform rag_internal.require_visible_text('name', drop_reranker.name);
    delete from rag_internal.reranker r where r.name = drop_reranker.name;
    if not found then
        raise exception using
            errcode = 'P0002',
            message = format('no reranker is named "%s"', drop_reranker.name),
            hint    = 'Registered ones are in rag.reranker.';
    end if;
end
$$;

comment on function rag_internal.drop_reranker(name, bytea, text) is 'See rag.drop_reranker.';
alter function rag_internal.drop_reranker(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.drop_reranker(name, bytea, text) from public;
grant execute on function rag_internal.drop_reranker(name, bytea, text) to rag_admin;
