-- How a search goes, and why.
create or replace function rag.explain_search(
    query          text,
    collections    text[]                    default null,
    top_k          integer                   default 10,
    strategy       text                      default null,
    filter         jsonb                     default null,
    filter_path    jsonpath                  default null,
    vars           jsonb                     default null,
    weights        jsonb                     default null,
    rrf_k          integer                   default null,
    skip           integer                   default 0,
    allow_degraded boolean                   default false,
    query_vector   @extschema:vector@.vector default null,
    token          text                      default null
) returns setof rag.search_step
language sql stable parallel unsafe
begin atomic
    select s.*
    from rag_internal.caller c,
         lateral rag_internal.explain_search(
             c.who, c.ticket, explain_search.token, explain_search.query,
             explain_search.collections, explain_search.top_k, explain_search.strategy,
             explain_search.filter, explain_search.filter_path, explain_search.vars,
             explain_search.weights, explain_search.rrf_k, explain_search.skip,
             explain_search.allow_degraded, explain_search.query_vector) s;
end;

comment on function rag.explain_search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb,
    integer, integer, boolean, @extschema:vector@.vector, text) is
    'Runs the search of rag.search with these arguments, and returns its steps instead of its '
    'hits: who asks and what that identity sees, each leg with the route it took and why '
    '(semantic: exact or hnsw), how many passages it looked at or found, and its milliseconds. '
    'Counts are of what the caller can see. It is not recorded.';
alter function rag.explain_search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb,
    integer, integer, boolean, @extschema:vector@.vector, text) owner to rag_owner;
revoke all on function rag.explain_search(text, text[], integer, text, jsonb, jsonpath, jsonb,
    jsonb, integer, integer, boolean, @extschema:vector@.vector, text) from public;
grant execute on function rag.explain_search(text, text[], integer, text, jsonb, jsonpath, jsonb,
    jsonb, integer, integer, boolean, @extschema:vector@.vector, text) to rag_reader;
