-- What a search is asked for, put together by name: each of the functions that search says only
-- what it is given. It runs as the caller, so names in it are resolved when it is created.
create or replace function rag_internal.search_request(
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
    highlight         boolean                   default null
) returns rag_internal.search_request
language sql immutable parallel safe
begin atomic
    select row(query, query_vector, hyde_vector, collections, top_k, skip, strategy, filter,
               filter_path, vars, min_updated_at, max_updated_at, as_of, include_archived, weights,
               rrf_k, fusion, candidates, min_score, correct_typos, max_distance, rerank,
               rerank_candidates, rerank_optional, min_relevance, gate, mmr_lambda, collapse,
               max_per_document, expand, highlight, null, null, null,
               allow_degraded)::rag_internal.search_request;
end;

comment on function rag_internal.search_request(text, text[], integer, text, jsonb, jsonpath, jsonb,
    jsonb, integer, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector,
    timestamptz, timestamptz, timestamptz, boolean, text, integer, double precision, boolean,
    integer, text, integer, boolean, double precision, double precision, double precision, boolean,
    integer, text, boolean) is
    'The arguments as one value.';
alter function rag_internal.search_request(text, text[], integer, text, jsonb, jsonpath, jsonb,
    jsonb, integer, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector,
    timestamptz, timestamptz, timestamptz, boolean, text, integer, double precision, boolean,
    integer, text, integer, boolean, double precision, double precision, double precision, boolean,
    integer, text, boolean) owner to rag_owner;
revoke all on function rag_internal.search_request(text, text[], integer, text, jsonb, jsonpath,
    jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector,
    timestamptz, timestamptz, timestamptz, boolean, text, integer, double precision, boolean,
    integer, text, integer, boolean, double precision, double precision, double precision, boolean,
    integer, text, boolean) from public;
grant execute on function rag_internal.search_request(text, text[], integer, text, jsonb, jsonpath,
    jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector,
    timestamptz, timestamptz, timestamptz, boolean, text, integer, double precision, boolean,
    integer, text, integer, boolean, double precision, double precision, double precision, boolean,
    integer, text, boolean) to rag_reader;
