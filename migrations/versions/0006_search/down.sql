-- Back to searches that fuse by rank and do no more.

drop function rag.bm25_search(text, text[], integer, jsonb, jsonpath, jsonb, integer, double
    precision, timestamptz, timestamptz, timestamptz, boolean, boolean, text);
drop function rag.count_matches(text, text[], text, jsonb, jsonpath, jsonb, double precision,
    timestamptz, timestamptz, timestamptz, boolean, @extschema:vector@.vector, text);
drop function rag.explain_search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb,
    integer, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector, timestamptz,
    timestamptz, timestamptz, boolean, text, integer, double precision, boolean, integer, text,
    integer, boolean, double precision, double precision, double precision, boolean, integer, text,
    boolean, text);
drop function rag.fuzzy_search(text, text[], integer, jsonb, jsonpath, jsonb, integer, integer,
    double precision, timestamptz, timestamptz, timestamptz, boolean, boolean, text);
drop function rag.search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb, integer,
    integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector, timestamptz,
    timestamptz, timestamptz, boolean, text, integer, double precision, boolean, integer, text,
    integer, boolean, double precision, double precision, double precision, boolean, integer, text,
    boolean, text);
drop function rag.search_status(text);
drop function rag.semantic_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    @extschema:vector@.vector, double precision, timestamptz, timestamptz, timestamptz, boolean,
    boolean, text);
drop function rag_internal.answer(rag_internal.identity, rag_internal.search_request);
drop function rag_internal.can_do_without(text, rag_internal.search_request, rag_internal.scope);
drop function rag_internal.check_search(rag_internal.search_request);
drop function rag_internal.check_search_options(jsonb);
drop function rag_internal.choose_candidates(rag_internal.leg_hit[], rag_internal.search_request);
drop function rag_internal.citation(uuid, integer, bytea, text, integer, integer, boolean);
drop function rag_internal.completed_request(rag_internal.search_request, rag_internal.scope);
drop function rag_internal.contributions(rag_internal.leg_hit[], rag_internal.search_request,
    bigint);
drop function rag_internal.corrected_query(text, rag_internal.scope, integer);
drop function rag_internal.count_matches(name, bytea, text, rag_internal.search_request);
drop function rag_internal.default_weights(text);
drop function rag_internal.diversify(rag_internal.leg_hit[], double precision, bigint);
drop function rag_internal.expand_passage(uuid, integer, text);
drop function rag_internal.explain_hits(rag_internal.retrieval);
drop function rag_internal.explain_search(name, bytea, text, rag_internal.search_request);
drop function rag_internal.find_reranker(text);
drop function rag_internal.first_depth(rag_internal.search_request, bigint);
drop function rag_internal.fuse(rag_internal.leg_hit[], rag_internal.search_request, bigint);
drop function rag_internal.fuzzy_leg(text, rag_internal.scope, bigint, integer);
drop function rag_internal.highlight(text, text, text);
drop function rag_internal.hydrate(rag_internal.leg_hit[], rag_internal.leg_hit[],
    rag_internal.scope, rag_internal.search_request, text, text[]);
drop function rag_internal.lead_of_bm25(rag_internal.leg_hit[], rag_internal.search_request);
drop function rag_internal.legs_of(rag_internal.search_request);
drop function rag_internal.log_search(rag_internal.retrieval);
drop function rag_internal.marginal_relevance(double precision[], text[], bytea[], double
    precision);
drop function rag_internal.marked_passage(text, integer, text, text);
drop function rag_internal.note_search_status(rag_internal.identity, text);
drop function rag_internal.noted_search_status(rag_internal.identity);
drop function rag_internal.rerank_hits(rag_internal.leg_hit[], text, rag_internal.leg_hit[],
    rag_internal.search_request);
drop function rag_internal.rerank_passages(text, text[], text);
drop function rag_internal.retrieve(rag_internal.identity, rag_internal.search_request);
drop function rag_internal.run_leg(text, text, rag_internal.scope, bigint, integer);
drop function rag_internal.run_legs(rag_internal.search_request, text, rag_internal.scope, bigint);
drop function rag_internal.score_passages(text, text[], rag_internal.reranker);
drop function rag_internal.search(name, bytea, text, rag_internal.search_request);
drop function rag_internal.search_request(text, text[], integer, text, jsonb, jsonpath, jsonb,
    jsonb, integer, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector,
    timestamptz, timestamptz, timestamptz, boolean, text, integer, double precision, boolean,
    integer, text, integer, boolean, double precision, double precision, double precision, boolean,
    integer, text, boolean);
drop function rag_internal.search_scope(rag_internal.identity, rag_internal.search_request);
drop function rag_internal.search_status(name, bytea, text);
drop function rag_internal.strategy_named(text);

drop type rag.context_result;
drop type rag.resolved_citation;
drop type rag_internal.highlighted;

drop type rag.reranked;
drop table rag_internal.reranker;

alter type rag_internal.scope drop attribute max_updated_at cascade;
alter type rag_internal.scope drop attribute min_updated_at cascade;
alter type rag_internal.scope drop attribute include_archived cascade;
alter type rag_internal.scope drop attribute as_of cascade;
alter type rag_internal.retrieval drop attribute leg_hits cascade;
alter type rag_internal.retrieval drop attribute request cascade;
alter type rag_internal.retrieval drop attribute status cascade;
alter type rag.search_step drop attribute detail cascade;
alter type rag.search_step drop attribute chunk_index cascade;
alter type rag.search_step drop attribute document_id cascade;
alter type rag.search_step drop attribute share cascade;
alter type rag.search_step drop attribute score cascade;
alter type rag.search_step drop attribute rank cascade;
alter type rag.hit drop attribute expanded_end cascade;
alter type rag.hit drop attribute expanded_start cascade;
alter type rag.hit drop attribute expanded cascade;
alter type rag.hit drop attribute matches cascade;
alter type rag.hit drop attribute version cascade;
drop type rag_internal.search_request;
