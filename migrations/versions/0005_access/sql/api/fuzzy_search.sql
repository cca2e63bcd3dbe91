-- Passages by likeness of words: the fuzzy leg of rag.search alone.
create or replace function rag.fuzzy_search(
    query       text,
    collections text[]   default null,
    top_k       integer  default 10,
    filter      jsonb    default null,
    filter_path jsonpath default null,
    vars        jsonb    default null,
    skip        integer  default 0,
    token       text     default null
) returns setof rag.hit
language sql volatile parallel unsafe
begin atomic
    select h.*
    from rag_internal.caller c,
         lateral rag_internal.search(
             c.who, c.ticket, fuzzy_search.token, fuzzy_search.query, fuzzy_search.collections,
             fuzzy_search.top_k, 'fuzzy', fuzzy_search.filter, fuzzy_search.filter_path,
             fuzzy_search.vars, null, 60, fuzzy_search.skip, false, null) h;
end;

comment on function rag.fuzzy_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    text) is
    'The top_k passages whose words are nearest to those of the query, typing errors allowed for; '
    'score 0 to 1. Arguments as in rag.search.';
alter function rag.fuzzy_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    text) owner to rag_owner;
revoke all on function rag.fuzzy_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    text) from public;
grant execute on function rag.fuzzy_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    text) to rag_reader;
