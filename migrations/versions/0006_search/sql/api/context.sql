-- A prompt for a language model: the passages that answer a question, numbered, with what to do
-- with them, in as many tokens as it may have.
create or replace function rag.context(
    query             text,
    max_tokens        integer                   default 2000,
    collections       text[]                    default null,
    top_k             integer                   default 10,
    strategy          text                      default null,
    filter            jsonb                     default null,
    filter_path       jsonpath                  default null,
    vars              jsonb                     default null,
    weights           jsonb                     default null,
    rrf_k             integer                   default null,
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
    collapse          boolean                   default true,
    max_per_document  integer                   default null,
    expand            text                      default null,
    template          text                      default null,
    source_template   text                      default null,
    abstain           text                      default null,
    model             text                      default null,
    token             text                      default null
) returns rag.context_result
language sql volatile parallel unsafe
begin atomic
    select rag_internal.context(
        c.who, c.ticket, context.token,
        rag_internal.search_request(
            query => context.query, collections => context.collections, top_k => context.top_k,
            strategy => context.strategy, filter => context.filter,
            filter_path => context.filter_path, vars => context.vars,
            weights => context.weights, rrf_k => context.rrf_k,
            allow_degraded => context.allow_degraded, query_vector => context.query_vector,
            hyde_vector => context.hyde_vector, min_updated_at => context.min_updated_at,
            max_updated_at => context.max_updated_at, as_of => context.as_of,
            include_archived => context.include_archived, fusion => context.fusion,
            candidates => context.candidates, min_score => context.min_score,
            correct_typos => context.correct_typos, max_distance => context.max_distance,
            rerank => context.rerank, rerank_candidates => context.rerank_candidates,
            rerank_optional => context.rerank_optional, min_relevance => context.min_relevance,
            gate => context.gate, mmr_lambda => context.mmr_lambda,
            collapse => context.collapse, max_per_document => context.max_per_document,
            expand => context.expand, highlight => false),
        context.max_tokens,
        array[context.template, context.source_template, context.abstain], context.model)
    from rag_internal.caller c;
end;

comment on function rag.context(text, integer, text[], integer, text, jsonb, jsonpath, jsonb, jsonb,
    integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector, timestamptz,
    timestamptz, timestamptz, boolean, text, integer, double precision, boolean, integer, text,
    integer, boolean, double precision, double precision, double precision, boolean, integer, text,
    text, text, text, text, text) is
    'The best of the top_k passages that rag.search finds with the same arguments, as many as fit, '
    'as sources with numbers; none twice, overlapping ones as one, each as a whole. status: found; '
    'no match, abstained or nothing visible, as rag.search_status says; no room, where none fits: '
    'then context is the text of abstain. template: {sources} and {question} are replaced in it; '
    'source_template: {number}, {source}, {title}, {place} (lines or page), {about} (title and '
    'place), {collection}, {version}, {heading}, {citation}, {content}. model: whose tokenizer '
    'counts; null: that of the collection. tokens are estimated, and degraded says so, where it is '
    'not on the server. sources: for each number what it stands for, with the citations of its '
    'passages, see rag.resolve_citation. A template without {sources}, and max_tokens that hold no '
    'more than the text around them, are 22023.';
alter function rag.context(text, integer, text[], integer, text, jsonb, jsonpath, jsonb, jsonb,
    integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector, timestamptz,
    timestamptz, timestamptz, boolean, text, integer, double precision, boolean, integer, text,
    integer, boolean, double precision, double precision, double precision, boolean, integer, text,
    text, text, text, text, text) owner to rag_owner;
revoke all on function rag.context(text, integer, text[], integer, text, jsonb, jsonpath, jsonb,
    jsonb, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector, timestamptz,
    timestamptz, timestamptz, boolean, text, integer, double precision, boolean, integer, text,
    integer, boolean, double precision, double precision, double precision, boolean, integer, text,
    text, text, text, text, text) from public;
grant execute on function rag.context(text, integer, text[], integer, text, jsonb, jsonpath, jsonb,
    jsonb, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector, timestamptz,
    timestamptz, timestamptz, boolean, text, integer, double precision, boolean, integer, text,
    integer, boolean, double precision, double precision, double precision, boolean, integer, text,
    text, text, text, text, text) to rag_reader;
