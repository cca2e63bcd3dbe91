-- The product: ranked, cited passages for a question, out of what the caller may read.
-- rag_internal.caller says who asks; rag_internal.search finds, shows and records.
create or replace function rag.search(
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
) returns setof rag.hit
language sql volatile parallel unsafe
begin atomic
    select h.*
    from rag_internal.caller c,
         lateral rag_internal.search(
             c.who, c.ticket, search.token,
             rag_internal.search_request(
                 search.query, search.collections, search.top_k, search.strategy, search.filter,
                 search.filter_path, search.vars, search.weights, search.rrf_k, search.skip,
                 search.allow_degraded, search.query_vector, search.hyde_vector,
                 search.min_updated_at, search.max_updated_at, search.as_of,
                 search.include_archived, search.fusion, search.candidates, search.min_score,
                 search.correct_typos, search.max_distance, search.rerank,
                 search.rerank_candidates, search.rerank_optional, search.min_relevance,
                 search.gate, search.mmr_lambda, search.collapse, search.max_per_document,
                 search.expand, search.highlight)) h;
end;

comment on function rag.search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb, integer,
    integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector, timestamptz,
    timestamptz, timestamptz, boolean, text, integer, double precision, boolean, integer, text,
    integer, boolean, double precision, double precision, double precision, boolean, integer, text,
    boolean, text) is
    'The top_k best passages, after skip of them. Arguments left null: what search_defaults of '
    'the collections say where they agree, else the built-in. collections null: all that the '
    'caller sees; a missing and a hidden one are the same P0002. strategy: hybrid (also combined, '
    'rrf), semantic (dense, vector), bm25 (lexical, sparse), fuzzy (approximate). fusion: rrf '
    '(weights semantic 0.6, bm25 0.3, fuzzy 0.1; rrf_k 60), linear (0.7, 0.3, 0), convex (0.4, '
    '0.6, 0). candidates: how deep each leg looks at least (100). min_score: least score of the '
    'leg, in a hybrid least similarity of the semantic leg. filter: JSON that the document''s '
    'attributes contain; filter_path with vars: a jsonpath predicate over them; min_updated_at, '
    'max_updated_at: of the document. as_of: what was valid and newest then; include_archived: '
    'archived documents, old versions and what is not valid too. query_vector: the vector of the '
    'query by the model of the collections searched, scaled to unit length here; with strategy '
    'semantic the query may then be null. hyde_vector: that of an imagined answer, a further leg. '
    'correct_typos: all legs look for the corrected words; max_distance: of a correction (2). '
    'rerank: a reranker by name (none: no), of rerank_candidates (4 top_k) passages; '
    'rerank_optional: without it the order stays and degraded says so; min_relevance, gate: least '
    'rerank_score of a hit, and of the mean of the page, below which nothing is returned (0 to '
    '1). mmr_lambda: 1 relevance, 0 variety; collapse: equal texts once (with mmr_lambda unless '
    'said); max_per_document. expand: chunk, section, neighbours, into expanded. highlight: marks '
    'what matched. allow_degraded: answer without a leg whose model is missing, and say so in '
    'degraded, instead of 55000. token: a signed token that says who asks. What was asked and '
    'shown is recorded, see rag.configure_search_log.';
alter function rag.search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb, integer,
    integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector, timestamptz,
    timestamptz, timestamptz, boolean, text, integer, double precision, boolean, integer, text,
    integer, boolean, double precision, double precision, double precision, boolean, integer, text,
    boolean, text) owner to rag_owner;
revoke all on function rag.search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb,
    integer, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector, timestamptz,
    timestamptz, timestamptz, boolean, text, integer, double precision, boolean, integer, text,
    integer, boolean, double precision, double precision, double precision, boolean, integer, text,
    boolean, text) from public;
grant execute on function rag.search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb,
    integer, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector, timestamptz,
    timestamptz, timestamptz, boolean, text, integer, double precision, boolean, integer, text,
    integer, boolean, double precision, double precision, double precision, boolean, integer, text,
    boolean, text) to rag_reader;
