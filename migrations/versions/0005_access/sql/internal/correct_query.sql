-- Corrects the typing errors of a query by the words that the caller can see.
create or replace function rag_internal.correct_query(
    who         name,
    ticket      bytea,
    query       text,
    collections text[],
    token       text
) returns setof rag.correction
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket, token);
    _redacted bigint[] := rag_internal.redacted_collections(_identity);
    _scope rag_internal.scope := rag_internal.lexical_scope(_identity, collections);
begin
    if _redacted <> '{}' then
        -- words of texts that the caller gets redacted only would be shown here
        _scope.collection_ids := array(
            select k.collection_id
            from rag_internal.visible_collections(_identity, collections) k
            where k.collection_id <> all (_redacted)
              and (_scope.collection_ids is null
                   or k.collection_id = any (_scope.collection_ids)));
    end if;
    perform rag_internal.check_query(correct_query.query);
    return query select c.* from rag_internal.correct_words(correct_query.query, _scope) c;
end
$$;

comment on function rag_internal.correct_query(name, bytea, text, text[], text) is
    'See rag.correct_query.';
alter function rag_internal.correct_query(name, bytea, text, text[], text) owner to rag_owner;
revoke all on function rag_internal.correct_query(name, bytea, text, text[], text) from public;
grant execute on function rag_internal.correct_query(name, bytea, text, text[], text) to rag_reader;
