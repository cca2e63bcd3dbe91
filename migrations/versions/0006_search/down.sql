-- Back to searches that fuse by rank and do no more.

drop trigger note_content_change_by_insert on rag_internal.document;
drop trigger note_content_change_by_update on rag_internal.document;
drop trigger note_content_change_by_delete on rag_internal.document;
drop trigger note_content_change_by_insert on rag_internal.embedding;
drop trigger note_content_change_by_update on rag_internal.embedding;
drop trigger note_content_change_by_delete on rag_internal.embedding;

drop view rag_internal.newer_version;
drop view rag.reranker;
drop function rag.add_dataset(text, jsonb, jsonb, text[], text);
drop function rag.add_reranker(text, text, jsonb);
drop function rag.bm25_search(text, text[], integer, jsonb, jsonpath, jsonb, integer, double
    precision, timestamptz, timestamptz, timestamptz, boolean, boolean, text);
drop function rag.context(text, integer, text[], integer, text, jsonb, jsonpath, jsonb, jsonb,
    integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector, timestamptz,
    timestamptz, timestamptz, boolean, text, integer, double precision, boolean, integer, text,
    integer, boolean, double precision, double precision, double precision, boolean, integer, text,
    text, text, text, text, text);
drop function rag.count_matches(text, text[], text, jsonb, jsonpath, jsonb, double precision,
    timestamptz, timestamptz, timestamptz, boolean, @extschema:vector@.vector, text);
drop function rag.decompose_query(text);
drop function rag.drop_dataset(text);
drop function rag.drop_reranker(text);
drop function rag.evaluate(text, text[], jsonb, text[], integer, boolean, text);
drop function rag.explain_search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb,
    integer, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector, timestamptz,
    timestamptz, timestamptz, boolean, text, integer, double precision, boolean, integer, text,
    integer, boolean, double precision, double precision, double precision, boolean, integer, text,
    boolean, text);
drop function rag.fuzzy_search(text, text[], integer, jsonb, jsonpath, jsonb, integer, integer,
    double precision, timestamptz, timestamptz, timestamptz, boolean, boolean, text);
drop function rag.list_datasets();
drop function rag.list_evaluations(text);
drop function rag.rerank(text, text[], text, text);
drop function rag.resolve_citation(text, text);
drop function rag.search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb, integer,
    integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector, timestamptz,
    timestamptz, timestamptz, boolean, text, integer, double precision, boolean, integer, text,
    integer, boolean, double precision, double precision, double precision, boolean, integer, text,
    boolean, text);
drop function rag.search_multi(text, text[], integer, integer, double precision, text, jsonb,
    jsonpath, jsonb, timestamptz, timestamptz, timestamptz, boolean, text, boolean, boolean, text);
drop function rag.search_status(text);
drop function rag.semantic_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    @extschema:vector@.vector, double precision, timestamptz, timestamptz, timestamptz, boolean,
    boolean, text);
drop function rag_internal.add_dataset(name, bytea, text, jsonb, jsonb, text[], text);
drop function rag_internal.add_reranker(name, bytea, text, text, jsonb);
drop function rag_internal.answer(rag_internal.retrieval);
drop function rag_internal.answer_key(rag_internal.search_request, rag_internal.scope);
drop function rag_internal.best_score(rag.hit[]);
drop function rag_internal.cached_answer(bytea, rag_internal.search_request, rag_internal.scope);
drop function rag_internal.can_do_without(text, rag_internal.search_request, rag_internal.scope);
drop function rag_internal.check_dataset(jsonb, jsonb);
drop function rag_internal.check_reranker(rag_internal.reranker);
drop function rag_internal.check_reranker_options(jsonb);
drop function rag_internal.check_search(rag_internal.search_request);
drop function rag_internal.check_search_options(jsonb);
drop function rag_internal.choose_candidates(rag_internal.leg_hit[], rag_internal.search_request);
drop function rag_internal.citation(uuid, integer, bytea, text, integer, integer, boolean);
drop function rag_internal.cited_span(rag_internal.document, text, text, integer, integer, boolean);
drop function rag_internal.completed_request(rag_internal.search_request, rag_internal.scope);
drop function rag_internal.context(name, bytea, text, rag_internal.search_request, integer, text[],
    text);
drop function rag_internal.context_hit(rag.hit);
drop function rag_internal.contributions(rag_internal.leg_hit[], rag_internal.search_request,
    bigint);
drop function rag_internal.corrected_query(text, rag_internal.scope, integer);
drop function rag_internal.count_matches(name, bytea, text, rag_internal.search_request);
drop function rag_internal.decompose_query(name, bytea, text);
drop function rag_internal.default_weights(text);
drop function rag_internal.diagnose_rerankers(rag_internal.identity);
drop function rag_internal.diversify(rag_internal.leg_hit[], double precision, bigint, bigint);
drop function rag_internal.drop_dataset(name, bytea, text);
drop function rag_internal.drop_reranker(name, bytea, text);
drop function rag_internal.erase_datasets(rag_internal.identity, rag.removal[], text, text,
    boolean);
drop function rag_internal.evaluate(name, bytea, text, text, text[], jsonb, text[], integer,
    boolean);
drop function rag_internal.evaluate_query(rag_internal.identity, rag_internal.dataset_query,
    rag_internal.search_request, rag_internal.redaction_rule[]);
drop function rag_internal.evaluation_request(rag_internal.identity, text, jsonb, text[], integer,
    boolean);
drop function rag_internal.evaluation_stages(rag_internal.search_request);
drop function rag_internal.expand_passage(uuid, integer, text);
drop function rag_internal.explain_hits(rag_internal.retrieval);
drop function rag_internal.explain_scope(rag_internal.scope);
drop function rag_internal.explain_search(name, bytea, text, rag_internal.search_request);
drop function rag_internal.find_passage(text, text, integer, integer, bytea);
drop function rag_internal.find_passages(rag_internal.retrieval);
drop function rag_internal.find_reranker(text);
drop function rag_internal.first_depth(rag_internal.search_request, bigint);
drop function rag_internal.follow_up_terms(text, text[], integer);
drop function rag_internal.forget_answers(bigint);
drop function rag_internal.fuse(rag_internal.leg_hit[], rag_internal.search_request, bigint);
drop function rag_internal.fuzzy_leg(text, rag_internal.scope, bigint, integer);
drop function rag_internal.highlight(text, text, text);
drop function rag_internal.hybrid_weights(jsonb, text, integer);
drop function rag_internal.indexed_validity(text, timestamptz, timestamptz);
drop function rag_internal.keep_answer(rag_internal.retrieval);
drop function rag_internal.known_rerankers(name, bytea);
drop function rag_internal.last_evaluation(rag_internal.identity, rag_internal.dataset, text, text,
    integer);
drop function rag_internal.lead_of_bm25(rag_internal.leg_hit[], rag_internal.search_request);
drop function rag_internal.legs_of(rag_internal.search_request);
drop function rag_internal.list_datasets(name, bytea);
drop function rag_internal.list_evaluations(name, bytea, text);
drop function rag_internal.live_passages(rag_internal.scope, text, boolean);
drop function rag_internal.log_search(rag_internal.retrieval);
drop function rag_internal.marginal_relevance(double precision[], text[], bytea[], double
    precision);
drop function rag_internal.marked_passage(text, integer, text, text);
drop function rag_internal.merge_hits(rag.hit[], double precision[], rag_internal.search_request);
drop function rag_internal.note_content_change();
drop function rag_internal.note_search_status(rag_internal.identity, text);
drop function rag_internal.noted_search_status(rag_internal.identity);
drop function rag_internal.own_dataset(rag_internal.identity, text);
drop function rag_internal.parts_of(text);
drop function rag_internal.query_parts(text, text);
drop function rag_internal.question_terms(text);
drop function rag_internal.question_vector(rag_internal.search_request, rag_internal.scope);
drop function rag_internal.ranking_scores(text, bigint[], integer[], integer[]);
drop function rag_internal.read_citation(text);
drop function rag_internal.read_passages(rag_internal.retrieval);
drop function rag_internal.rerank(name, bytea, text, text[], text, text);
drop function rag_internal.rerank_hits(rag_internal.leg_hit[], text, rag_internal.leg_hit[],
    rag_internal.search_request, bigint);
drop function rag_internal.rerank_passages(text, text[], text);
drop function rag_internal.reranker_status(rag_internal.reranker);
drop function rag_internal.resolve_citation(name, bytea, text, text);
drop function rag_internal.retrieve(rag_internal.identity, rag_internal.search_request);
drop function rag_internal.retrieve_multi(rag_internal.identity, rag_internal.search_request,
    integer, double precision);
drop function rag_internal.retrieve_part(rag_internal.identity, rag_internal.search_request, text,
    integer, double precision, boolean);
drop function rag_internal.run_leg(text, text, rag_internal.scope, bigint, integer);
drop function rag_internal.run_legs(rag_internal.search_request, text, rag_internal.scope, bigint);
drop function rag_internal.score_passages(text, text[], rag_internal.reranker);
drop function rag_internal.search(name, bytea, text, rag_internal.search_request);
drop function rag_internal.search_multi(name, bytea, text, rag_internal.search_request, integer,
    double precision);
drop function rag_internal.search_reach(rag_internal.search_request);
drop function rag_internal.search_request(text, text[], integer, text, jsonb, jsonpath, jsonb,
    jsonb, integer, integer, boolean, @extschema:vector@.vector, @extschema:vector@.vector,
    timestamptz, timestamptz, timestamptz, boolean, text, integer, double precision, boolean,
    integer, text, integer, boolean, double precision, double precision, double precision, boolean,
    integer, text, boolean);
drop function rag_internal.search_scope(rag_internal.identity, rag_internal.search_request);
drop function rag_internal.search_stages(rag_internal.identity, rag_internal.search_request);
drop function rag_internal.search_status(name, bytea, text);
drop function rag_internal.seen_name(rag_internal.scope);
drop function rag_internal.sees_waiting(rag_internal.scope, text);
drop function rag_internal.semantic_statements(rag_internal.model, bigint, bigint, bigint, text,
    text, text, text);
drop function rag_internal.shown_source(rag_internal.document, rag_internal.redaction_rule[]);
drop function rag_internal.strategy_named(text);
drop function rag_internal.write_context(text, jsonb, integer, text[], rag_internal.model);

drop table rag_internal.content_change, rag_internal.cached_answer;

drop type rag_internal.stage_score;
drop type rag_internal.stage_hit;
drop type rag.evaluation_run;
drop type rag.evaluation;
drop type rag.dataset_info;
drop table rag_internal.evaluation;
drop table rag_internal.judgment;
drop table rag_internal.dataset_query;
drop table rag_internal.dataset;

drop type rag.query_part;

drop type rag.context_result;
drop type rag.resolved_citation;
drop type rag_internal.highlighted;

drop type rag.reranked;
drop table rag_internal.reranker;

drop index rag_internal.document_versioned;
drop index rag_internal.document_updated_at;
comment on column rag_internal.pending.valid_from is null;
comment on column rag_internal.segment.valid_from is null;

alter type rag_internal.retrieval drop attribute leg_hits cascade;
alter type rag_internal.retrieval drop attribute ranking cascade;
alter type rag_internal.retrieval drop attribute is_redacted cascade;
alter type rag_internal.retrieval drop attribute depth cascade;
alter type rag_internal.retrieval drop attribute degraded cascade;
alter type rag_internal.retrieval drop attribute query cascade;
alter type rag_internal.retrieval drop attribute scope cascade;
alter type rag_internal.retrieval drop attribute answer_key cascade;
alter type rag_internal.retrieval drop attribute request cascade;
alter type rag_internal.retrieval drop attribute status cascade;
alter type rag_internal.scope drop attribute max_updated_at cascade;
alter type rag_internal.scope drop attribute min_updated_at cascade;
alter type rag_internal.scope drop attribute include_archived cascade;
alter type rag_internal.scope drop attribute as_of cascade;
alter type rag_internal.scope drop attribute search_id cascade;
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
