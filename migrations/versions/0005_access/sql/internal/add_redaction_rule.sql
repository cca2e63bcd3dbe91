-- Adds a rule to a collection, or changes the one of that name.
create or replace function rag_internal.add_redaction_rule(
    who         name,
    ticket      bytea,
    collection  text,
    name        text,
    pattern     text,
    detector    text,
    replacement text
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
        rag_internal.authenticate(who, ticket), add_redaction_rule.collection, true);
    _rule rag_internal.redaction_rule;
begin
    _rule.collection_id := _collection.collection_id;
    _rule.name := add_redaction_rule.name;
    _rule.detector := add_redaction_rule.detector;
    _rule.pattern := add_redaction_rule.pattern;
    _rule.replacement := add_redaction_rule.replacement;
    _rule.created_at := now();
    perform rag_internal.check_redaction_rule(_rule);
    insert into rag_internal.redaction_rule as r select _rule.*
    on conflict on constraint redaction_rule_pkey do update
    set detector = excluded.detector, pattern = excluded.pattern,
        replacement = excluded.replacement
    where (r.detector, r.pattern, r.replacement)
          is distinct from (excluded.detector, excluded.pattern, excluded.replacement);
    return found;
end
$$;

comment on function rag_internal.add_redaction_rule(name, bytea, text, text, text, text, text) is
    'See rag.add_redaction_rule.';
alter function rag_internal.add_redaction_rule(name, bytea, text, text, text, text,
    text) owner to rag_owner;
revoke all on function rag_internal.add_redaction_rule(name, bytea, text, text, text, text,
    text) from public;
grant execute on function rag_internal.add_redaction_rule(name, bytea, text, text, text, text,
    text) to rag_writer;
