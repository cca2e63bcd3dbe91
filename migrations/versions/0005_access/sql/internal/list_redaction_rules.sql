-- The rules of a collection, for who may change them: a pattern tells what it is to hide.
create or replace function rag_internal.list_redaction_rules(
    who        name,
    ticket     bytea,
    collection text
) returns setof rag.redaction_rule
language sql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
    select r.name, r.detector, r.pattern, r.replacement, r.created_at
    from rag_internal.own_collection(rag_internal.authenticate(who, ticket),
                                     list_redaction_rules.collection, null) k
    join rag_internal.redaction_rule r using (collection_id)
    order by r.name
$$;

comment on function rag_internal.list_redaction_rules(name, bytea, text) is
    'See rag.list_redaction_rules.';
alter function rag_internal.list_redaction_rules(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.list_redaction_rules(name, bytea, text) from public;
grant execute on function rag_internal.list_redaction_rules(name, bytea, text) to rag_writer;
