-- How a search goes, and why.
create or replace function rag.explain_search(
    query             text,
    collections       text[]                    default null,
    top_k             integer                   default 10,
    strategy          text                      default null,
    filter            jsonb                     default null,
    filter_path       jsonpath                  default null,
    vars              jsonb                     default null,
    weights           jsonb                     default null,
    rrf_k             integer                   default null,
    skip              integer                   default 0,
    allow_degraded    boolean                   default false,
    query_vector      @extschema:vector@.vector default null,
    hyde_vector       @extschema:vector@.vector default null,
    min_updated_at    timestamptz               default null,
    max_updated_at    timestamptz               default null,
    as_of             timestamptz               default null,
    include_archived  boolean                   default null,
    fusion            text                      default null,
    candidates        integer                   default null,
    min_score         double precision          default null,
    correct_typos     boolean                   default null,
    max_distance      integer                   default null,
    rerank            text                      default null,
    rerank_candidates integer                   default null,
    rerank_optional   boolean                   default null,
    min_relevance     double precision          default null,
    gate              double precision          default null,
    mmr_lambda        double precision          default null,
    collapse          boolean                   default null,
    max_per_document  integer                   default null,
    expand            text                      default null,
    highlight         boolean                   default null,
    token             text                      default null
) returns setof rag.search_step
language sql stable parallel unsafe
begin atomic
    select s.*
    from rag_internal.caller c,
         lateral rag_internal.explain_search(
             c.who, c.ticket, explain_search.token,
             rag_internal.search_request(
                 explain_search.query, explain_search.collections, explain_search.top_k,
                 explain_search.strategy, explain_search.filter, explain_search.filter_path,
                 explain_search.vars, explain_search.weights, explain_search.rrf_k,
                 explain_search.skip, explain_search.allow_degraded, explain_search.query_vector,
                 explain_search.hyde_vector, explain_search.min_updated_at,
                 explain_search.max_updated_at, explain_search.as_of,
                 explain_search.include_archived, explain_search.fusion,
                 explain_search.candidates, explain_search.min_score,
                 explain_search.correct_typos, explain_search.max_distance, explain_search.rerank,
                 explain_search.rerank_candidates, explain_search.rerank_optional,
                 explain_search.min_relevance, explain_search.gate, explain_search.mmr_lambda,
                 explain_search.collapse, explain_search.max_per_document, explain_search.expand,
                 explain_search.highlight)) s;
end;

comment on function rag.explain_search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb,
    integer, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector, timestamptz,
    timestamptz, timestamptz, boolean, text, integer, double precision, boolean, integer, text,
    integer, boolean, double precision, double precision, double precision, boolean, integer, text,
    boolean, text) is
    'Runs the search of rag.search with these arguments, and tells how instead of what: who asks '
    'and what that identity sees, each stage with the route it took and why, how many passages it '
    'looked at or left, and its milliseconds; then, step hit, each hit and each leg that found it '
    '(route): rank, raw score, share of the fused score (0 to 1), and in detail the terms of BM25 '
    'or the corrections; last, step result: found, no match, abstained, nothing visible. Counts '
    'are of what the caller can see. It is not recorded.';
alter function rag.explain_search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb,
    integer, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector, timestamptz,
    timestamptz, timestamptz, boolean, text, integer, double precision, boolean, integer, text,
    integer, boolean, double precision, double precision, double precision, boolean, integer, text,
    boolean, text) owner to rag_owner;
revoke all on function rag.explain_search(text, text[], integer, text, jsonb, jsonpath, jsonb,
    jsonb, integer, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector,
    timestamptz, timestamptz, timestamptz, boolean, text, integer, double precision, boolean,
    integer, text, integer, boolean, double precision, double precision, double precision, boolean,
    integer, text, boolean, text) from public;
grant execute on function rag.explain_search(text, text[], integer, text, jsonb, jsonpath, jsonb,
    jsonb, integer, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector,
    timestamptz, timestamptz, timestamptz, boolean, text, integer, double precision, boolean,
    integer, text, integer, boolean, double precision, double precision, double precision, boolean,
    integer, text, boolean, text) to rag_reader;
