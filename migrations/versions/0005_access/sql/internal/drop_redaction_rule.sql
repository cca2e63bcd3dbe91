-- Ends a rule of a collection.
create or replace function rag_internal.drop_redaction_rule(
    who        name,
    ticket     bytea,
    collection text,
    name       text
) returns boolean
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _collection rag_internal.collection := rag_internal.own_collection(
        rag_internal.authenticate(who, ticket), drop_redaction_rule.collection, true);
begin
    delete from rag_internal.redaction_rule r
    where r.collection_id = _collection.collection_id and r.name = drop_redaction_rule.name;
    return found;
end
$$;

comment on function rag_internal.drop_redaction_rule(name, bytea, text, text) is
    'See rag.drop_redaction_rule.';
alter function rag_internal.drop_redaction_rule(name, bytea, text, text) owner to rag_owner;
revoke all on function rag_internal.drop_redaction_rule(name, bytea, text, text) from public;
grant execute on function rag_internal.drop_redaction_rule(name, bytea, text, text) to rag_writer;
