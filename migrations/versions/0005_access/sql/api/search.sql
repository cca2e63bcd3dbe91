-- The product: ranked, cited passages for a question, out of what the caller may read.
-- rag_internal.caller says who asks; rag_internal.search runs the legs and fuses them.
create or replace function rag.search(
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
) returns setof rag.hit
language sql volatile parallel unsafe
begin atomic
    select h.*
    from rag_internal.caller c,
         lateral rag_internal.search(
             c.who, c.ticket, search.token, search.query, search.collections, search.top_k,
             search.strategy, search.filter, search.filter_path, search.vars, search.weights,
             search.rrf_k, search.skip, search.allow_degraded, search.query_vector) h;
end;

comment on function rag.search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb, integer,
    integer, boolean, @extschema:vector@.vector, text) is
    'The top_k best passages, after skip of them. collections null: all that the caller sees; a '
    'missing and a hidden one are the same P0002. strategy: hybrid (reciprocal rank fusion of the '
    'legs), semantic, bm25, fuzzy. strategy, weights and rrf_k null: what search_defaults of the '
    'collections say where they agree, else hybrid, {"semantic": 0.6, "bm25": 0.3, "fuzzy": 0.1} '
    'and 60. filter: JSON that the document''s attributes contain; filter_path with vars: a '
    'jsonpath predicate over them. allow_degraded: answer without a leg whose model is missing, '
    'and say so in degraded, instead of 55000; degraded also says when passages in scope wait for '
    'their vector. query_vector: the vector of the query, made by the model of the collections '
    'searched, scaled to unit length here; needed where that model is external, and with strategy '
    'semantic the query may then be null. Other dimensions, length zero or collections of more '
    'than one model are 22023. token: a signed token that says who asks, in place of the setting '
    'rag.token and of the role. What was asked and shown is recorded, see '
    'rag.configure_search_log.';
alter function rag.search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb, integer,
    integer, boolean, @extschema:vector@.vector, text) owner to rag_owner;
revoke all on function rag.search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb,
    integer, integer, boolean, @extschema:vector@.vector, text) from public;
grant execute on function rag.search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb,
    integer, integer, boolean, @extschema:vector@.vector, text) to rag_reader;
