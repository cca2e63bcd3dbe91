-- PostgreSQL 15. Rewritten by RAGSQL_REWRITE_EXPECTED=1; read the difference.

CREATE SCHEMA rag;

ALTER SCHEMA rag OWNER TO postgres;

COMMENT ON SCHEMA rag IS 'ragsql: what applications call and read.';

CREATE SCHEMA rag_internal;

ALTER SCHEMA rag_internal OWNER TO postgres;

COMMENT ON SCHEMA rag_internal IS 'ragsql: storage and helpers; closed to every caller. Content is read through the views of schema rag, whose functions answer with rows that the caller may read: on the tables themselves a plan would tell of the others, even behind row security (how many rows it removed, whether a policy was asked at all).';

CREATE TYPE rag.bm25_term AS (
	term text,
	tf integer,
	df bigint,
	n bigint,
	idf double precision,
	length integer,
	average_length double precision,
	length_factor double precision,
	contribution double precision
);

ALTER TYPE rag.bm25_term OWNER TO rag_owner;

COMMENT ON TYPE rag.bm25_term IS 'What a term adds to the BM25 score of a passage: contribution = idf * length_factor, length_factor = tf (k1 + 1) / (tf + k1 (1 - b + b length / average_length)). n, df and average_length are taken over the passages that the caller can see.';

CREATE TYPE rag.check_result AS (
	name text,
	status text,
	detail text,
	next_step text
);

ALTER TYPE rag.check_result OWNER TO rag_owner;

COMMENT ON TYPE rag.check_result IS 'A finding of rag.doctor(): status is ok, warn or fail.';

CREATE TYPE rag.chunking_quality AS (
	documents bigint,
	chunks bigint,
	split_fences bigint,
	split_tables bigint,
	cut_lists bigint,
	cut_sentences bigint,
	within_size real,
	coverage real
);

ALTER TYPE rag.chunking_quality OWNER TO rag_owner;

COMMENT ON TYPE rag.chunking_quality IS 'How well documents are cut: counts of what was cut in two; within_size and coverage are shares.';

CREATE TYPE rag.collection_info AS (
	name text,
	owner text,
	description text,
	readers text[],
	strategy text,
	chunk_size integer,
	overlap integer,
	min_chunk_size integer,
	model text,
	text_config text,
	search_defaults jsonb,
	documents bigint,
	chunks bigint,
	characters bigint,
	created_at timestamp with time zone,
	updated_at timestamp with time zone,
	min_value real,
	title_weight integer,
	heading_weight integer,
	tenant text,
	security_level integer,
	writers text[]
);

ALTER TYPE rag.collection_info OWNER TO rag_owner;

COMMENT ON TYPE rag.collection_info IS 'A collection and what of it the caller can see; readers are shown to those who may grant.';

CREATE TYPE rag.context_result AS (
	context text,
	tokens integer,
	status text,
	sources jsonb,
	degraded text[]
);

ALTER TYPE rag.context_result OWNER TO rag_owner;

COMMENT ON TYPE rag.context_result IS 'A prompt made of passages, and how many tokens it has. status: that of the search, or no room where passages were found and none fits. sources: what its numbers stand for. degraded: what was done without.';

CREATE TYPE rag.correction AS (
	original text,
	corrected text,
	distance integer
);

ALTER TYPE rag.correction OWNER TO rag_owner;

COMMENT ON TYPE rag.correction IS 'A word of a query, or two that belong together, as typed and as meant; distance 0: unchanged.';

CREATE TYPE rag.dataset_info AS (
	name text,
	owner text,
	description text,
	collections text[],
	queries integer,
	judgments integer,
	created_at timestamp with time zone,
	updated_at timestamp with time zone
);

ALTER TYPE rag.dataset_info OWNER TO rag_owner;

COMMENT ON TYPE rag.dataset_info IS 'A dataset, and how much is in it.';

CREATE TYPE rag.evaluation AS (
	strategy text,
	stage text,
	queries integer,
	answered integer,
	ndcg_10 double precision,
	mrr_10 double precision,
	recall_5 double precision,
	recall_20 double precision,
	recall_50 double precision,
	last jsonb
);

ALTER TYPE rag.evaluation OWNER TO rag_owner;

COMMENT ON TYPE rag.evaluation IS 'How well a stage of a strategy ranks: means over the queries that have an answer. answered: for how many it found anything. last: evaluated_at, settings and the same means of the run before, null where there is none.';

CREATE TYPE rag.evaluation_run AS (
	dataset text,
	run_id bigint,
	evaluated_at timestamp with time zone,
	identity text,
	collections text[],
	settings jsonb,
	top_k integer,
	strategy text,
	stage text,
	queries integer,
	answered integer,
	ndcg_10 double precision,
	mrr_10 double precision,
	recall_5 double precision,
	recall_20 double precision,
	recall_50 double precision
);

ALTER TYPE rag.evaluation_run OWNER TO rag_owner;

COMMENT ON TYPE rag.evaluation_run IS 'What rag.evaluate found and kept: who asked where, with which settings, and rag.evaluation.';

CREATE TYPE rag.fused AS (
	rank integer,
	score double precision,
	id text,
	ranks jsonb
);

ALTER TYPE rag.fused OWNER TO rag_owner;

COMMENT ON TYPE rag.fused IS 'An item of fused rankings: ranks holds its rank in each ranking that has it.';

CREATE TYPE rag.hit AS (
	rank integer,
	score double precision,
	document_id uuid,
	chunk_index integer,
	collection text,
	source text,
	title text,
	heading text[],
	content text,
	highlight text,
	start_offset integer,
	end_offset integer,
	start_line integer,
	end_line integer,
	page integer,
	kind text,
	metadata jsonb,
	semantic_rank integer,
	semantic_score double precision,
	bm25_rank integer,
	bm25_score double precision,
	fuzzy_rank integer,
	fuzzy_score double precision,
	rerank_score double precision,
	corrected_query text,
	degraded text[],
	citation text,
	version text,
	matches jsonb,
	expanded text,
	expanded_start integer,
	expanded_end integer
);

ALTER TYPE rag.hit OWNER TO rag_owner;

COMMENT ON TYPE rag.hit IS 'A ranked passage. Offsets count characters of document.content from 0, end exclusive; lines count from 1. A leg that did not find the passage leaves its rank and score null.';

CREATE TYPE rag.identity AS (
	identity text,
	source text,
	principals text[],
	tenant text,
	clearance integer,
	sees_everything boolean,
	why text
);

ALTER TYPE rag.identity OWNER TO rag_owner;

COMMENT ON TYPE rag.identity IS 'Who the caller is to ragsql, and why.';

CREATE TYPE rag.identity_key AS (
	kid text,
	algorithm text,
	issuer text,
	audience text,
	tenant text,
	not_before timestamp with time zone,
	not_after timestamp with time zone,
	created_at timestamp with time zone,
	is_valid boolean
);

ALTER TYPE rag.identity_key OWNER TO rag_owner;

COMMENT ON TYPE rag.identity_key IS 'A key that tokens are verified with, without the key itself; is_valid: whether it may be used now.';

CREATE TYPE rag.index_difference AS (
	kind text,
	document_id uuid,
	chunk_index integer,
	detail text
);

ALTER TYPE rag.index_difference OWNER TO rag_owner;

COMMENT ON TYPE rag.index_difference IS 'Where the lexical index differs from the passages: kind is missing, doubled, dead, wrong or outdated.';

CREATE TYPE rag.ingested AS (
	document_id uuid,
	status text,
	chunks_created integer,
	job_id bigint,
	words_skipped integer
);

ALTER TYPE rag.ingested OWNER TO rag_owner;

COMMENT ON TYPE rag.ingested IS 'What became of a document: status is created, updated or unchanged.';

CREATE TYPE rag.model_progress AS (
	model text,
	is_searched boolean,
	passages bigint,
	embedded bigint,
	waiting bigint,
	failed bigint
);

ALTER TYPE rag.model_progress OWNER TO rag_owner;

COMMENT ON TYPE rag.model_progress IS 'How many passages of a collection have a vector under a model, wait for it, or were given up.';

CREATE TYPE rag.query_part AS (
	part integer,
	query text,
	strategy text,
	excluded text[],
	min_updated_at timestamp with time zone,
	max_updated_at timestamp with time zone,
	reason text
);

ALTER TYPE rag.query_part OWNER TO rag_owner;

COMMENT ON TYPE rag.query_part IS 'What one search has to look for: query in the syntax of queries, with what is excluded in it.';

CREATE TYPE rag.reader_grant AS (
	reader text,
	privilege text,
	security_level integer
);

ALTER TYPE rag.reader_grant OWNER TO rag_owner;

COMMENT ON TYPE rag.reader_grant IS 'Who may do what with a collection or a document: privilege is own, read, write or unredacted; who reads needs a clearance of security_level.';

CREATE TYPE rag.recall_check AS (
	queries integer,
	recall double precision,
	at integer
);

ALTER TYPE rag.recall_check OWNER TO rag_owner;

COMMENT ON TYPE rag.recall_check IS 'How many passages were searched for, and the share of their at nearest that was found.';

CREATE TYPE rag.redaction_rule AS (
	name text,
	detector text,
	pattern text,
	replacement text,
	created_at timestamp with time zone
);

ALTER TYPE rag.redaction_rule OWNER TO rag_owner;

COMMENT ON TYPE rag.redaction_rule IS 'A rule of a collection: what matches the pattern, or the detector of that name, is replaced.';

CREATE TYPE rag.removal AS (
	kind text,
	document_id uuid,
	collection text,
	source text,
	version text,
	passages bigint,
	vectors bigint,
	entries bigint
);

ALTER TYPE rag.removal OWNER TO rag_owner;

COMMENT ON TYPE rag.removal IS 'What was erased: a row of kind document for each document, and one for each other kind of which something went, with their number in entries.';

CREATE TYPE rag.reranked AS (
	rank integer,
	index integer,
	score double precision
);

ALTER TYPE rag.reranked OWNER TO rag_owner;

COMMENT ON TYPE rag.reranked IS 'A passage by its relevance to a query: index is its place in what was given, from 1; score the probability that it is relevant.';

CREATE TYPE rag.resolved_citation AS (
	status text,
	document_id uuid,
	chunk_index integer,
	collection text,
	source text,
	version text,
	title text,
	content text,
	start_offset integer,
	end_offset integer,
	start_line integer,
	end_line integer,
	page integer
);

ALTER TYPE rag.resolved_citation OWNER TO rag_owner;

COMMENT ON TYPE rag.resolved_citation IS 'What a citation stands for now. status: current (the text stands where it stood), moved (elsewhere in the document) or changed (it is gone; the rest of the row is the passage that stands in its place).';

CREATE TYPE rag.search_step AS (
	step text,
	route text,
	why text,
	passages bigint,
	milliseconds double precision,
	rank integer,
	score double precision,
	share double precision,
	document_id uuid,
	chunk_index integer,
	detail jsonb
);

ALTER TYPE rag.search_step OWNER TO rag_owner;

COMMENT ON TYPE rag.search_step IS 'A step of a search: which way it went and why, over how many passages, and how long it took.';

CREATE TYPE rag.source_rule AS (
	tenant text,
	collection text,
	may_search boolean,
	may_ingest boolean
);

ALTER TYPE rag.source_rule OWNER TO rag_owner;

COMMENT ON TYPE rag.source_rule IS 'A collection that a restricted tenant may search or ingest into; a tenant without any has one row without a collection.';

CREATE TYPE rag.text_chunk AS (
	chunk_index integer,
	content text,
	start_offset integer,
	end_offset integer,
	start_line integer,
	end_line integer,
	heading text[],
	section_start integer,
	section_end integer,
	kind text,
	token_count integer,
	value real,
	embed_text text
);

ALTER TYPE rag.text_chunk OWNER TO rag_owner;

COMMENT ON TYPE rag.text_chunk IS 'A passage of a text, before it is stored; offsets as in rag.hit.';

CREATE TYPE rag_internal.chunk_counts AS (
	chunks bigint,
	split_fences bigint,
	split_tables bigint,
	cut_lists bigint,
	cut_sentences bigint,
	within_size bigint,
	characters_covered bigint,
	characters_total bigint
);

ALTER TYPE rag_internal.chunk_counts OWNER TO rag_owner;

COMMENT ON TYPE rag_internal.chunk_counts IS 'What rag.chunking_quality is summed from.';

CREATE TYPE rag_internal.embedded_text AS (
	number integer,
	v public.vector,
	error text,
	hint text,
	is_provider_fault boolean,
	retry_after double precision
);

ALTER TYPE rag_internal.embedded_text OWNER TO rag_owner;

COMMENT ON TYPE rag_internal.embedded_text IS 'What became of the text of that number, from 1: a unit vector, or an error, which is the provider''s fault or the text''s. retry_after: seconds that the provider asked to wait.';

CREATE TYPE rag_internal.highlighted AS (
	matches integer[],
	marked text
);

ALTER TYPE rag_internal.highlighted OWNER TO rag_owner;

COMMENT ON TYPE rag_internal.highlighted IS 'Where a query matches a text: start and end of each match in turn, in characters from 0, end exclusive; and the text as HTML with <mark>...</mark> around them.';

CREATE TYPE rag_internal.identity AS (
	who name,
	tenant text,
	clearance smallint,
	sees_everything boolean,
	principal_ids bigint[],
	source text,
	reader text,
	why text,
	groups text[]
);

ALTER TYPE rag_internal.identity OWNER TO rag_owner;

COMMENT ON TYPE rag_internal.identity IS 'Who asks: who is the current role; source says by which way the identity was found; reader is what it owns and is granted by (role:NAME, user:NAME; null: nobody).';

CREATE TYPE rag_internal.leg_hit AS (
	leg text,
	rank integer,
	score double precision,
	document_id uuid,
	chunk_index integer,
	corrected_query text
);

ALTER TYPE rag_internal.leg_hit OWNER TO rag_owner;

COMMENT ON TYPE rag_internal.leg_hit IS 'A passage that one leg of a search found, with its rank there.';

CREATE TYPE rag_internal.prepared_chunk AS (
	chunk rag.text_chunk,
	embed_hash bytea,
	v public.vector,
	error text
);

ALTER TYPE rag_internal.prepared_chunk OWNER TO rag_owner;

CREATE TYPE rag_internal.question AS (
	content text,
	phrases text[],
	excluded text[]
);

ALTER TYPE rag_internal.question OWNER TO rag_owner;

COMMENT ON TYPE rag_internal.question IS 'A query taken apart: content is what is meant, phrases what must occur word for word, excluded words and phrases must not.';

CREATE TYPE rag_internal.redacted_span AS (
	first integer,
	past integer,
	first_byte integer,
	past_byte integer,
	replacement text
);

ALTER TYPE rag_internal.redacted_span OWNER TO rag_owner;

COMMENT ON TYPE rag_internal.redacted_span IS 'A part of a text that is replaced: characters, and bytes, from 0, end exclusive.';

CREATE TABLE rag_internal.redaction_rule (
    collection_id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    detector text COLLATE pg_catalog."C",
    pattern text,
    replacement text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT redaction_rule_has_one_pattern CHECK ((num_nonnulls(detector, pattern) = 1))
);
ALTER TABLE ONLY rag_internal.redaction_rule ALTER COLUMN name SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.redaction_rule ALTER COLUMN detector SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.redaction_rule ALTER COLUMN pattern SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.redaction_rule ALTER COLUMN replacement SET STATISTICS 0;

ALTER TABLE rag_internal.redaction_rule OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.redaction_rule IS 'What is replaced in the texts of a collection, for readers who are not in rag_internal.unredacted_reader: matches of a regular expression, or of a detector by name.';

CREATE TYPE rag_internal.redaction AS (
	rules rag_internal.redaction_rule[],
	spans rag_internal.redacted_span[],
	kept text,
	letters text,
	kept_letters text
);

ALTER TYPE rag_internal.redaction OWNER TO rag_owner;

COMMENT ON TYPE rag_internal.redaction IS 'What rules do to the text of a document: spans are replaced, kept is what comes of it; letters are the letters and digits before and after, null where nothing is replaced.';

CREATE TYPE rag_internal.scope AS (
	acl_ids bigint[],
	collection_ids bigint[],
	filter jsonb,
	filter_path jsonpath,
	vars jsonb,
	identity rag_internal.identity,
	search_id bigint,
	as_of timestamp with time zone,
	include_archived boolean,
	min_updated_at timestamp with time zone,
	max_updated_at timestamp with time zone
);

ALTER TYPE rag_internal.scope OWNER TO rag_owner;

COMMENT ON TYPE rag_internal.scope IS 'Where a search looks: who asks, classes the caller may read (null: the engine knows), collections (null: all), and the filter.';

CREATE TYPE rag_internal.search_request AS (
	query text,
	query_vector public.vector,
	hyde_vector public.vector,
	collections text[],
	top_k integer,
	skip integer,
	strategy text,
	filter jsonb,
	filter_path jsonpath,
	vars jsonb,
	min_updated_at timestamp with time zone,
	max_updated_at timestamp with time zone,
	as_of timestamp with time zone,
	include_archived boolean,
	weights jsonb,
	rrf_k integer,
	fusion text,
	candidates integer,
	min_score double precision,
	correct_typos boolean,
	max_distance integer,
	rerank text,
	rerank_candidates integer,
	rerank_optional boolean,
	min_relevance double precision,
	gate double precision,
	mmr_lambda double precision,
	collapse boolean,
	max_per_document integer,
	expand text,
	highlight boolean,
	bm25_lead double precision,
	close_similarity double precision,
	cache jsonb,
	allow_degraded boolean
);

ALTER TYPE rag_internal.search_request OWNER TO rag_owner;

COMMENT ON TYPE rag_internal.search_request IS 'The arguments of rag.search. Null: what the collections'' search_defaults say, else the built-in.';

CREATE TYPE rag_internal.retrieval AS (
	identity rag_internal.identity,
	hits rag.hit[],
	steps rag.search_step[],
	strategy text,
	collection_ids bigint[],
	status text,
	request rag_internal.search_request,
	answer_key bytea,
	scope rag_internal.scope,
	query text,
	degraded text[],
	depth bigint,
	is_redacted boolean,
	ranking rag_internal.leg_hit[],
	leg_hits rag_internal.leg_hit[]
);

ALTER TYPE rag_internal.retrieval OWNER TO rag_owner;

COMMENT ON TYPE rag_internal.retrieval IS 'What a search found, and how: strategy is hybrid or its only leg, collection_ids null stands for all that the caller sees.';

CREATE TYPE rag_internal.stage_hit AS (
	stage text,
	place bigint,
	document_id uuid,
	chunk_index integer
);

ALTER TYPE rag_internal.stage_hit OWNER TO rag_owner;

COMMENT ON TYPE rag_internal.stage_hit IS 'Where a passage stands in the ranking of a stage.';

CREATE TYPE rag_internal.stage_score AS (
	stage text,
	ndcg_10 double precision,
	mrr_10 double precision,
	recall_5 double precision,
	recall_20 double precision,
	recall_50 double precision
);

ALTER TYPE rag_internal.stage_score OWNER TO rag_owner;

COMMENT ON TYPE rag_internal.stage_score IS 'The measures of the ranking of one stage.';

CREATE TYPE rag_internal.text_condition AS (
	text_config text,
	condition tsquery
);

ALTER TYPE rag_internal.text_condition OWNER TO rag_owner;

COMMENT ON TYPE rag_internal.text_condition IS 'What passages of a text configuration must match.';

CREATE FUNCTION rag_internal.add_dataset(who name, ticket bytea, name text, queries jsonb, judgments jsonb, collections text[], description text) RETURNS rag.dataset_info
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _owner_id bigint := rag_internal.owner_for(_identity);
    _dataset rag_internal.dataset;
    _fingerprint bytea;
    _info rag.dataset_info;
begin
    perform rag_internal.check_name(add_dataset.name);
    perform rag_internal.check_dataset(add_dataset.queries, add_dataset.judgments);
    if add_dataset.collections is not null then
        perform rag_internal.visible_collections(_identity, add_dataset.collections);
    end if;
    _fingerprint := sha256(convert_to(
        (select string_agg(e::text, ' ' order by e) from jsonb_array_elements(queries) e)
        || coalesce((select string_agg(e::text, ' ' order by e)
                     from jsonb_array_elements(judgments) e), ''), 'UTF8'));
    if _fingerprint is null then
        raise exception using errcode = '22023', message = 'a dataset needs a query';
    end if;

    insert into rag_internal.dataset as d (name, tenant, owner_id, description, collections,
                                           fingerprint)
    values (add_dataset.name, _identity.tenant, _owner_id, add_dataset.description,
            add_dataset.collections, _fingerprint)
    on conflict on constraint dataset_name_key do update
    set description = excluded.description, collections = excluded.collections,
        fingerprint = excluded.fingerprint, updated_at = clock_timestamp()
    returning d.* into _dataset;
    delete from rag_internal.dataset_query q where q.dataset_id = _dataset.dataset_id;
    insert into rag_internal.dataset_query (dataset_id, query_id, query)
    select _dataset.dataset_id, q.query_id, q.query
    from jsonb_to_recordset(add_dataset.queries) q (query_id text, query text);
    insert into rag_internal.judgment (dataset_id, query_id, collection, source, start_offset,
                                       end_offset, relevance)
    select _dataset.dataset_id, j.query_id, j.collection, j.source, j.start_offset, j.end_offset,
           max(j.relevance)
    from jsonb_to_recordset(add_dataset.judgments)
         j (query_id text, collection text, source text, start_offset integer, end_offset integer,
            relevance integer)
    group by j.query_id, j.collection, j.source, j.start_offset, j.end_offset;

    select i.* into _info
    from rag_internal.list_datasets(who, ticket) i
    where i.name = _dataset.name
      and i.owner = (select rag_internal.owner_name(p) from rag_internal.principal p
                     where p.principal_id = _owner_id);
    return _info;
end
$$;

ALTER FUNCTION rag_internal.add_dataset(who name, ticket bytea, name text, queries jsonb, judgments jsonb, collections text[], description text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.add_dataset(who name, ticket bytea, name text, queries jsonb, judgments jsonb, collections text[], description text) IS 'See rag.add_dataset.';

CREATE FUNCTION rag_internal.ticket(secret bytea, who name) RETURNS bytea
    LANGUAGE sql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    AS $$
    select sha256(secret || sha256(secret || convert_to(
        format('%s|%s|%s', who, pg_backend_pid(), extract(epoch from statement_timestamp())),
        'UTF8')))
$$;

ALTER FUNCTION rag_internal.ticket(secret bytea, who name) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.ticket(secret bytea, who name) IS 'HMAC-like SHA-256 over user, backend and statement time (RFC 2104 nesting).';

CREATE TABLE rag_internal.ticket_key (
    only_row boolean DEFAULT true NOT NULL,
    secret bytea NOT NULL,
    CONSTRAINT ticket_key_only_row_check CHECK (only_row)
);

ALTER TABLE rag_internal.ticket_key OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.ticket_key IS 'The secret that makes the tickets of rag_internal.caller.';

CREATE VIEW rag_internal.caller AS
 SELECT CURRENT_USER AS who,
    rag_internal.ticket(k.secret, CURRENT_USER) AS ticket
   FROM rag_internal.ticket_key k;

ALTER TABLE rag_internal.caller OWNER TO rag_owner;

COMMENT ON VIEW rag_internal.caller IS 'The true current user and the ticket that proves it. Reachable only from functions whose names were resolved when they were created: nobody has usage on this schema.';

CREATE FUNCTION rag.add_dataset(name text, queries jsonb, judgments jsonb, collections text[] DEFAULT NULL::text[], description text DEFAULT NULL::text) RETURNS rag.dataset_info
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.add_dataset(c.who, c.ticket, add_dataset.name, add_dataset.queries, add_dataset.judgments, add_dataset.collections, add_dataset.description) AS add_dataset
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.add_dataset(name text, queries jsonb, judgments jsonb, collections text[], description text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.add_dataset(name text, queries jsonb, judgments jsonb, collections text[], description text) IS 'Keeps a dataset for rag.evaluate, instead of the caller''s former one of the name. queries: [{"query_id": "1", "query": "..."}]. judgments: [{"query_id": "1", "source": "a.md", "relevance": 2}], 0 being no answer; with start_offset and end_offset it is an excerpt of the document that answers, with collection only the document there. collections: where the questions are asked (null: all). Only its owner and rag_admin can see it.';

CREATE FUNCTION rag_internal.add_identity_key(who name, ticket bytea, kid text, algorithm text, key text, issuer text, audience text, tenant text, not_before timestamp with time zone, not_after timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $_$
declare
    _problem text;
    _key text;
begin
    if not (rag_internal.authenticate(who, ticket)).sees_everything then
        raise exception using
            errcode = '42501',
            message = 'only rag_admin may add keys that prove who asks',
            hint    = 'Ask an administrator.';
    end if;
    _problem := case
        when kid is null or algorithm is null or key is null then 'kid, algorithm or key is null'
        -- visible ASCII, so that no two look alike
        when kid !~ '^[!-~]{1,200}$' then 'kid is not 1 to 200 visible ASCII characters'
        when issuer is not null and rag_internal.is_blank(issuer)
          or audience is not null and rag_internal.is_blank(audience)
          or tenant <> '' and rag_internal.is_blank(tenant)
            then 'issuer, audience or tenant has no visible character'
        when greatest(length(issuer), length(audience), length(tenant)) > 200
            then 'issuer, audience and tenant have at most 200 characters'
        when not_after <= not_before then 'not_after is not after not_before' end;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'kid is the name that the header of a token gives; issuer, audience and '
                      'tenant are null where they are not to be checked.';
    end if;
    _key := rag_internal.stored_identity_key(algorithm, key);
    insert into rag_internal.identity_key
        (kid, algorithm, key, issuer, audience, tenant, not_before, not_after)
    values (kid, algorithm, _key, issuer, audience, tenant, not_before, not_after)
    on conflict on constraint identity_key_pkey do update
    set algorithm = excluded.algorithm, key = excluded.key, issuer = excluded.issuer,
        audience = excluded.audience, tenant = excluded.tenant, not_before = excluded.not_before,
        not_after = excluded.not_after;
end
$_$;

ALTER FUNCTION rag_internal.add_identity_key(who name, ticket bytea, kid text, algorithm text, key text, issuer text, audience text, tenant text, not_before timestamp with time zone, not_after timestamp with time zone) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.add_identity_key(who name, ticket bytea, kid text, algorithm text, key text, issuer text, audience text, tenant text, not_before timestamp with time zone, not_after timestamp with time zone) IS 'See rag.add_identity_key.';

CREATE FUNCTION rag.add_identity_key(kid text, algorithm text, key text, issuer text DEFAULT NULL::text, audience text DEFAULT NULL::text, tenant text DEFAULT NULL::text, not_before timestamp with time zone DEFAULT NULL::timestamp with time zone, not_after timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.add_identity_key(c.who, c.ticket, add_identity_key.kid, add_identity_key.algorithm, add_identity_key.key, add_identity_key.issuer, add_identity_key.audience, add_identity_key.tenant, add_identity_key.not_before, add_identity_key.not_after) AS add_identity_key
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.add_identity_key(kid text, algorithm text, key text, issuer text, audience text, tenant text, not_before timestamp with time zone, not_after timestamp with time zone) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.add_identity_key(kid text, algorithm text, key text, issuer text, audience text, tenant text, not_before timestamp with time zone, not_after timestamp with time zone) IS 'Adds or replaces a key that tokens (JWT) naming it as kid are verified with (rag_admin only). algorithm: HS256 (key is the secret, of 32 bytes or more), RS256, ES256 or EdDSA (key is the public key, PEM). issuer and audience: what iss has to be and aud has to contain; without an audience, tokens with aud are refused. tenant: the only one its tokens may name, and theirs where they name none; empty: they may name none. null: not checked. The key may be used from not_before until not_after.';

CREATE FUNCTION rag_internal.add_model(who name, ticket bytea, name text, provider text, dimensions integer, options jsonb) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    SET lock_timeout TO '5s'
    AS $$
declare
    _options jsonb := coalesce(options, '{}');
    _problem text;
    _before rag_internal.model;
    _after rag_internal.model;
    _is_new boolean;
begin
    if not (rag_internal.authenticate(who, ticket)).sees_everything then
        raise exception using
            errcode = '42501',
            message = 'only rag_admin may register a model',
            hint    = 'Ask an administrator.';
    end if;
    perform rag_internal.require_visible_text('name', add_model.name);
    _problem := case
        when add_model.name = 'none' then 'a model cannot be named none, which means no model'
        when add_model.provider not in ('fastembed', 'openai', 'external')
            then format('unknown provider "%s": there are fastembed, openai and external',
                        add_model.provider)
        when add_model.dimensions is null or add_model.dimensions not between 1 and 16000
            then format('dimensions is %s, but must be 1 to 16,000',
                        coalesce(add_model.dimensions::text, 'null')) end;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'rag.add_model(name, provider, dimensions, options).';
    end if;
    perform rag_internal.check_model_options(_options);

    lock table rag_internal.model in share row exclusive mode;
    select m.* into _before from rag_internal.model m where m.name = add_model.name;
    _is_new := not found;
    if _is_new then
        insert into rag_internal.model (name, provider, dimensions, max_tokens)
        values (add_model.name, coalesce(add_model.provider, 'fastembed'), add_model.dimensions,
                case coalesce(add_model.provider, 'fastembed') when 'fastembed' then 256
                                                               when 'openai' then 8192 end)
        returning * into _before;
    end if;
    _after := rag_internal.with_model_options(_before, _options);
    _after.provider := coalesce(add_model.provider, _before.provider);
    _after.dimensions := add_model.dimensions;
    perform rag_internal.check_model_change(_before, _after);
    perform rag_internal.check_model(_after);

    if _after.is_default then
        update rag_internal.model m
        set is_default = false
        where m.is_default and m.kind = _after.kind and m.model_id <> _after.model_id;
    end if;
    update rag_internal.model m
    set (provider, revision, metric, query_prefix, passage_prefix, max_tokens, is_default,
         endpoints, storage, quantization, hnsw_m, hnsw_ef_construction, hnsw_ef_search,
         long_input)
      = (_after.provider, _after.revision, _after.metric, _after.query_prefix,
         _after.passage_prefix, _after.max_tokens, _after.is_default, _after.endpoints,
         _after.storage, _after.quantization, _after.hnsw_m, _after.hnsw_ef_construction,
         _after.hnsw_ef_search, _after.long_input)
    where m.model_id = _after.model_id;
    if _is_new then
        perform rag_internal.add_embedding_partition(_after);
    elsif (_after.metric, _after.storage, _after.quantization, _after.hnsw_m,
           _after.hnsw_ef_construction)
       <> (_before.metric, _before.storage, _before.quantization, _before.hnsw_m,
           _before.hnsw_ef_construction) then
        perform rag_internal.build_vector_index(_after);
    end if;
    return _after.name;
end
$$;

ALTER FUNCTION rag_internal.add_model(who name, ticket bytea, name text, provider text, dimensions integer, options jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.add_model(who name, ticket bytea, name text, provider text, dimensions integer, options jsonb) IS 'See rag.add_model.';

CREATE FUNCTION rag.add_model(name text, provider text DEFAULT 'fastembed'::text, dimensions integer DEFAULT 384, options jsonb DEFAULT '{}'::jsonb) RETURNS text
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.add_model(c.who, c.ticket, add_model.name, add_model.provider, add_model.dimensions, add_model.options) AS add_model
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.add_model(name text, provider text, dimensions integer, options jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.add_model(name text, provider text, dimensions integer, options jsonb) IS 'Registers an embedding model (rag_admin only); idempotent, and what options leave out stays. provider: fastembed (in the server), openai (any endpoint of that kind), external (vectors come with the calls). Options: revision, metric (cosine, l2, inner_product), query_prefix, passage_prefix, max_tokens (window, special tokens included; null: unknown), is_default, endpoints (where openai is reached, in order of preference), storage (halfvec, vector), quantization (none, binary), m, ef_construction, ef_search, memory_efficient (8, 128, 200 for 16, 128, 100), long_input (average, error). Other dimensions than registered are 22023; another provider, revision, passage_prefix, metric or storage of a model in use 55000; a host or key variable that is not allowed 42501. Another m, ef_construction or quantization builds the index anew at once.';

CREATE FUNCTION rag_internal.add_redaction_rule(who name, ticket bytea, collection text, name text, pattern text, detector text, replacement text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
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

ALTER FUNCTION rag_internal.add_redaction_rule(who name, ticket bytea, collection text, name text, pattern text, detector text, replacement text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.add_redaction_rule(who name, ticket bytea, collection text, name text, pattern text, detector text, replacement text) IS 'See rag.add_redaction_rule.';

CREATE FUNCTION rag.add_redaction_rule(collection text, name text, pattern text DEFAULT NULL::text, detector text DEFAULT NULL::text, replacement text DEFAULT '[redacted]'::text) RETURNS boolean
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.add_redaction_rule(c.who, c.ticket, add_redaction_rule.collection, add_redaction_rule.name, add_redaction_rule.pattern, add_redaction_rule.detector, add_redaction_rule.replacement) AS add_redaction_rule
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.add_redaction_rule(collection text, name text, pattern text, detector text, replacement text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.add_redaction_rule(collection text, name text, pattern text, detector text, replacement text) IS 'Adds a rule to a collection, or changes the one of that name; whether that changed something. What matches the pattern (a regular expression of PostgreSQL) or the detector (email, phone, credit_card, iban, us_ssn, ipv4, ipv6, jwt, aws_access_key, private_key, url_password) is shown as the replacement, a literal text, to all but the owner and those of rag.grant_unredacted. 22023 for a pattern that is invalid, empty, longer than 1,000 characters, matches the empty string or has back-references, and for a replacement that a rule of the collection matches.';

CREATE FUNCTION rag_internal.add_reranker(who name, ticket bytea, name text, provider text, options jsonb) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    SET lock_timeout TO '5s'
    AS $$
declare
    _options jsonb := coalesce(options, '{}');
    _problem text;
    _reranker rag_internal.reranker;
begin
    perform rag_internal.require_admin(rag_internal.authenticate(who, ticket),
                                       'register a reranker');
    perform rag_internal.require_visible_text('name', add_reranker.name);
    _problem := case
        when add_reranker.name in ('none', 'default', '.', '..')
            then format('a reranker cannot be named %s', add_reranker.name)
        when length(add_reranker.name) > 200
            then 'the name of a reranker has at most 200 characters'
        when add_reranker.provider not in ('fastembed', 'http')
            then format('unknown provider "%s": there are fastembed and http',
                        add_reranker.provider) end;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'rag.add_reranker(name, provider, options).';
    end if;
    perform rag_internal.check_reranker_options(_options);

    lock table rag_internal.reranker in share row exclusive mode;
    select r.* into _reranker from rag_internal.reranker r where r.name = add_reranker.name;
    if not found then
        insert into rag_internal.reranker (name, provider, scores, is_default)
        values (add_reranker.name, coalesce(add_reranker.provider, 'fastembed'),
                -- endpoints give relevances, the heads of cross-encoders logits
                case add_reranker.provider when 'http' then 'probability' else 'logit' end,
                not exists (select from rag_internal.reranker r where r.is_default))
        returning * into _reranker;
    end if;
    _reranker := jsonb_populate_record(_reranker, _options);
    _reranker.provider := coalesce(add_reranker.provider, _reranker.provider);
    perform rag_internal.check_reranker(_reranker);

    if _reranker.is_default then
        update rag_internal.reranker r
        set is_default = false
        where r.is_default and r.name <> _reranker.name;
    end if;
    update rag_internal.reranker r
    set (provider, revision, max_tokens, endpoints, scores, is_default)
      = (_reranker.provider, _reranker.revision, _reranker.max_tokens, _reranker.endpoints,
         _reranker.scores, _reranker.is_default)
    where r.name = _reranker.name;
    return _reranker.name;
end
$$;

ALTER FUNCTION rag_internal.add_reranker(who name, ticket bytea, name text, provider text, options jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.add_reranker(who name, ticket bytea, name text, provider text, options jsonb) IS 'See rag.add_reranker.';

CREATE FUNCTION rag.add_reranker(name text, provider text DEFAULT 'fastembed'::text, options jsonb DEFAULT '{}'::jsonb) RETURNS text
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.add_reranker(c.who, c.ticket, add_reranker.name, add_reranker.provider, add_reranker.options) AS add_reranker
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.add_reranker(name text, provider text, options jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.add_reranker(name text, provider text, options jsonb) IS 'Registers a reranker (rag_admin only); idempotent, and what options leave out stays. provider: fastembed (in the server, from files in its folder of models, or in the embedder), http (endpoints of the Jina, Cohere or TEI kind). Options: revision, max_tokens (window of question and passage together; null: the tokenizer says), is_default (the first one is), scores (logit, probability), endpoints (in order of preference: url, model, key_variable, style jina, cohere or tei, timeout). A host or key variable that is not allowed is 42501.';

CREATE FUNCTION rag_internal.adopt_role(who name, ticket bytea, role text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _today bigint;
    _earlier bigint[];
begin
    if not (rag_internal.authenticate(who, ticket)).sees_everything then
        raise exception using
            errcode = '42501',
            message = 'only rag_admin may let a role inherit',
            hint    = 'Ask an administrator.';
    end if;
    _today := rag_internal.principal_for('role:' || adopt_role.role, '');
    _earlier := array(
        select p.principal_id from rag_internal.principal p
        where p.kind = 'role' and p.name = adopt_role.role and p.principal_id <> _today);

    insert into rag_internal.acl_reader (principal_id, acl_id)
    select distinct _today, ar.acl_id from rag_internal.acl_reader ar
    where ar.principal_id = any (_earlier)
    on conflict do nothing;
    delete from rag_internal.acl_reader ar where ar.principal_id = any (_earlier);
    begin
        update rag_internal.collection k set owner_id = _today where k.owner_id = any (_earlier);
    exception when unique_violation then
        raise exception using
            errcode = '42710',
            message = format('role "%s" has collections of the same name as before',
                             adopt_role.role),
            hint    = 'rag.rename_collection one of each pair first.';
    end;
    begin
        update rag_internal.dataset d set owner_id = _today where d.owner_id = any (_earlier);
    exception when unique_violation then
        raise exception using
            errcode = '42710',
            message = format('role "%s" has datasets of the same name as before', adopt_role.role),
            hint    = 'rag.drop_dataset one of each pair first.';
    end;
    insert into rag_internal.collection_writer (collection_id, principal_id)
    select distinct w.collection_id, _today from rag_internal.collection_writer w
    where w.principal_id = any (_earlier)
    on conflict do nothing;
    delete from rag_internal.collection_writer w where w.principal_id = any (_earlier);
    insert into rag_internal.unredacted_reader (collection_id, principal_id)
    select distinct u.collection_id, _today from rag_internal.unredacted_reader u
    where u.principal_id = any (_earlier)
    on conflict do nothing;
    delete from rag_internal.unredacted_reader u where u.principal_id = any (_earlier);
    update rag_internal.role_rule r
    set role_oid = p.role_oid
    from rag_internal.principal p
    where p.principal_id = _today and r.name = p.name;
    delete from rag_internal.principal p where p.principal_id = any (_earlier);
    -- so that the same readers find their class again; where there is one by now, both stay
    update rag_internal.acl a
    set reader_set = n.reader_set
    from (select distinct on (reader_set) s.acl_id, s.reader_set
          from (select ar.acl_id, rag_internal.reader_set(array_agg(ar.principal_id)) as reader_set
                from rag_internal.acl_reader ar
                where ar.acl_id in (select o.acl_id from rag_internal.acl_reader o
                                    where o.principal_id = _today)
                group by ar.acl_id) s) n
    where a.acl_id = n.acl_id and a.reader_set <> n.reader_set
      and not exists (select from rag_internal.acl o
                      where o.reader_set = n.reader_set and o.tenant = a.tenant
                        and o.security_level = a.security_level);
    update rag_internal.ingest_log l
    set role_oid = p.role_oid
    from rag_internal.principal p
    where p.principal_id = _today and l.user_name = p.name and l.role_oid <> p.role_oid;
    update rag_internal.job j
    set role_oid = p.role_oid
    from rag_internal.principal p
    where p.principal_id = _today and j.created_by = p.name and j.role_oid <> p.role_oid;
    return cardinality(_earlier);
end
$$;

ALTER FUNCTION rag_internal.adopt_role(who name, ticket bytea, role text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.adopt_role(who name, ticket bytea, role text) IS 'See rag.adopt_role.';

CREATE FUNCTION rag.adopt_role(role text) RETURNS integer
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.adopt_role(c.who, c.ticket, adopt_role.role) AS adopt_role
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.adopt_role(role text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.adopt_role(role text) IS 'Gives grants and collections of earlier roles of this name to the role that has the name today (rag_admin only): after a restore into another cluster. How many earlier roles there were.';

CREATE FUNCTION rag_internal.disallow_source(who name, ticket bytea, collection text, tenant text, is_unrestricted boolean) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
begin
    perform rag_internal.require_admin(rag_internal.authenticate(who, ticket),
                                       'say what a tenant may search');
    if is_unrestricted then
        delete from rag_internal.restricted_tenant r
        where r.tenant = disallow_source.tenant;
    else
        delete from rag_internal.allowed_source s
        where s.tenant = disallow_source.tenant and s.collection = disallow_source.collection;
    end if;
    return found;
end
$$;

ALTER FUNCTION rag_internal.disallow_source(who name, ticket bytea, collection text, tenant text, is_unrestricted boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.disallow_source(who name, ticket bytea, collection text, tenant text, is_unrestricted boolean) IS 'See rag.disallow_source and rag.allow_all_sources.';

CREATE FUNCTION rag.allow_all_sources(tenant text DEFAULT ''::text) RETURNS boolean
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.disallow_source(c.who, c.ticket, NULL::text, allow_all_sources.tenant, true) AS disallow_source
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.allow_all_sources(tenant text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.allow_all_sources(tenant text) IS 'rag_admin only: the tenant searches and ingests whatever its readers and writers may again, and what was allowed to it is forgotten. Whether it was restricted.';

CREATE FUNCTION rag.allow_http(hosts text[], key_variables text[] DEFAULT '{}'::text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _problem text;
begin
    if not (select r.rolsuper from pg_roles r where r.rolname = current_user) then
        raise exception using
            errcode = '42501',
            message = 'only a superuser may say which hosts the server calls',
            hint    = 'Ask whoever runs the server.';
    end if;
    _problem := case
        when hosts is null or key_variables is null then 'hosts or key_variables is null'
        when exists (select from unnest(hosts) h
                     where h is null or h !~ '^(unix:/[^\s,]+|(?!unix:)[^\s,/*@]+)$')
            then 'hosts are names without scheme, path, blank and wildcard, or unix:/path'
        when exists (select from unnest(key_variables) v
                     where v is null or v !~ '^[A-Za-z_][A-Za-z0-9_]*$')
            then 'key_variables are names of environment variables' end;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'As in rag.allow_http(''{api.openai.com, 127.0.0.1:11434}'', '
                      '''{OPENAI_API_KEY}''); an empty list of hosts allows none.';
    end if;
    delete from rag_internal.setting s where s.name in ('http_hosts', 'http_key_variables');
    insert into rag_internal.setting (name, value)
    select n.name, array_to_string(n.list, ',')
    from (values ('http_hosts', hosts), ('http_key_variables', key_variables)) n (name, list)
    where cardinality(n.list) > 0;
end
$_$;

ALTER FUNCTION rag.allow_http(hosts text[], key_variables text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.allow_http(hosts text[], key_variables text[]) IS 'Replaces the list of hosts (host, host:port, unix:/path) that models of provider openai may be reached at, and of the environment variables of the server that may be sent to them as keys. Superusers only; empty lists switch calls off. Counts at once, in all sessions.';

CREATE FUNCTION rag_internal.allow_source(who name, ticket bytea, collection text, tenant text, may_search boolean, may_ingest boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
begin
    perform rag_internal.require_admin(rag_internal.authenticate(who, ticket),
                                       'say what a tenant may search');
    if allow_source.tenant is null or may_search is null or may_ingest is null then
        raise exception using
            errcode = '22023',
            message = 'tenant, may_search and may_ingest may not be null',
            hint    = 'The tenant of roles without one is ''''.';
    end if;
    insert into rag_internal.restricted_tenant (tenant) values (allow_source.tenant)
    on conflict do nothing;
    if allow_source.collection is null then
        return;
    end if;
    perform rag_internal.check_name(allow_source.collection);
    insert into rag_internal.allowed_source as s (tenant, collection, may_search, may_ingest)
    values (allow_source.tenant, allow_source.collection, allow_source.may_search,
            allow_source.may_ingest)
    on conflict on constraint allowed_source_pkey do update
    set may_search = excluded.may_search, may_ingest = excluded.may_ingest
    where (s.may_search, s.may_ingest) <> (excluded.may_search, excluded.may_ingest);
end
$$;

ALTER FUNCTION rag_internal.allow_source(who name, ticket bytea, collection text, tenant text, may_search boolean, may_ingest boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.allow_source(who name, ticket bytea, collection text, tenant text, may_search boolean, may_ingest boolean) IS 'See rag.allow_source.';

CREATE FUNCTION rag.allow_source(collection text, tenant text DEFAULT ''::text, may_search boolean DEFAULT true, may_ingest boolean DEFAULT true) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.allow_source(c.who, c.ticket, allow_source.collection, allow_source.tenant, allow_source.may_search, allow_source.may_ingest) AS allow_source
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.allow_source(collection text, tenant text, may_search boolean, may_ingest boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.allow_source(collection text, tenant text, may_search boolean, may_ingest boolean) IS 'rag_admin only. From the first call on, the tenant (empty: roles without a tenant) searches and ingests into allowed collections alone: another one by name is 42501, and a search that names none leaves them out. Who may read what is not changed by it. collection null: restricts the tenant, and allows nothing. rag_admin itself is not restricted.';

CREATE FUNCTION rag_internal.alter_collection(who name, ticket bytea, name text, description text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer) RETURNS rag.collection_info
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _old rag_internal.collection := rag_internal.own_collection(
        _identity, alter_collection.name, true);
    _new rag_internal.collection := _old;
    _document rag_internal.document;
    _info rag.collection_info;
begin
    -- an older snapshot would miss documents that were ingested since
    perform rag_internal.require_read_committed('rag.alter_collection');
    _new.description := coalesce(alter_collection.description, _old.description);
    if alter_collection.strategy is not null then
        -- sizes of another strategy are in another unit
        _new.strategy := alter_collection.strategy;
        _new.chunk_size := null;
        _new.overlap := null;
        _new.min_chunk_size := null;
    end if;
    _new.chunk_size := coalesce(alter_collection.chunk_size, _new.chunk_size);
    _new.overlap := coalesce(alter_collection.overlap, _new.overlap);
    _new.min_chunk_size := coalesce(alter_collection.min_chunk_size, _new.min_chunk_size);
    _new.text_config := coalesce(
        rag_internal.canonical_text_config(alter_collection.text_config), _old.text_config);
    _new.search_defaults := coalesce(alter_collection.search_defaults, _old.search_defaults);
    if alter_collection.model = 'none' then
        _new.model_id := null;
    elsif alter_collection.model is not null then
        _new.model_id := (rag_internal.usable_model(alter_collection.model)).model_id;
    end if;
    if _new.model_id is distinct from _old.model_id
       and exists (select from rag_internal.document d
                   where d.collection_id = _old.collection_id) then
        raise exception using
            errcode = '55000',
            message = format('collection "%s" has documents embedded with another model',
                             _old.name),
            hint    = 'Make a collection with the new model and ingest the documents there.';
    end if;
    _new.min_value := coalesce(alter_collection.min_value, _old.min_value);
    _new.strategy := rag_internal.check_chunking(
        _new.strategy, _new.chunk_size, _new.overlap, _new.min_chunk_size,
        _new.model_id is not null, _new.min_value);
    perform rag_internal.check_search_defaults(_new.search_defaults);
    perform rag_internal.check_text_weights(alter_collection.title_weight,
                                            alter_collection.heading_weight);
    _new.title_weight := coalesce(alter_collection.title_weight, _old.title_weight);
    _new.heading_weight := coalesce(alter_collection.heading_weight, _old.heading_weight);
    if _new.text_config <> _old.text_config then
        _new.analyzed_as := rag_internal.analyzer_stamp(_new.text_config);
    end if;

    update rag_internal.collection k
    set description = _new.description, strategy = _new.strategy, chunk_size = _new.chunk_size,
        overlap = _new.overlap, min_chunk_size = _new.min_chunk_size, model_id = _new.model_id,
        text_config = _new.text_config, search_defaults = _new.search_defaults,
        min_value = _new.min_value, title_weight = _new.title_weight,
        heading_weight = _new.heading_weight, analyzed_as = _new.analyzed_as, updated_at = now()
    where k.collection_id = _old.collection_id;
    if (_new.text_config, _new.title_weight, _new.heading_weight)
       <> (_old.text_config, _old.title_weight, _old.heading_weight) then
        for _document in
            select d.* from rag_internal.document d where d.collection_id = _old.collection_id
        loop
            perform rag_internal.reindex_document(_document, _new);
        end loop;
    end if;
    select i.* into _info from rag_internal.collection_info(_identity, array[_old.name]) i;
    return _info;
end
$$;

ALTER FUNCTION rag_internal.alter_collection(who name, ticket bytea, name text, description text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.alter_collection(who name, ticket bytea, name text, description text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer) IS 'See rag.alter_collection.';

CREATE FUNCTION rag.alter_collection(name text, description text DEFAULT NULL::text, strategy text DEFAULT NULL::text, chunk_size integer DEFAULT NULL::integer, overlap integer DEFAULT NULL::integer, min_chunk_size integer DEFAULT NULL::integer, model text DEFAULT NULL::text, text_config text DEFAULT NULL::text, search_defaults jsonb DEFAULT NULL::jsonb, min_value real DEFAULT NULL::real, title_weight integer DEFAULT NULL::integer, heading_weight integer DEFAULT NULL::integer) RETURNS rag.collection_info
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.alter_collection(c.who, c.ticket, alter_collection.name, alter_collection.description, alter_collection.strategy, alter_collection.chunk_size, alter_collection.overlap, alter_collection.min_chunk_size, alter_collection.model, alter_collection.text_config, alter_collection.search_defaults, alter_collection.min_value, alter_collection.title_weight, alter_collection.heading_weight) AS alter_collection
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.alter_collection(name text, description text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.alter_collection(name text, description text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer) IS 'Changes what is given; null leaves as it is. Another strategy starts from its own sizes. Chunking (min_value too; 0 embeds everything) applies to what is ingested from now on (the next ingest of an unchanged text splits it anew); a text configuration and the weights of title and headings apply at once. The model of a collection with documents is 55000.';

CREATE FUNCTION rag_internal.ascii_words(folded text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _text text := folded;
begin
    if octet_length(_text) <> char_length(_text)
        or octet_length(_text) > 2046 and _text ~ '[a-z0-9]{255}|[^a-z0-9]{255}'
    then
        return null;
    end if;
    if strpos(_text, '''s') > 0 then
        _text := regexp_replace(_text, '([a-z0-9])''s(?![a-z0-9])', E'\\1', 'g');
    end if;
    return regexp_replace(_text, '[-_./<&+~]', ' ', 'g');
end
$$;

ALTER FUNCTION rag_internal.ascii_words(folded text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.ascii_words(folded text) IS 'A folded text in which the default parser finds the words of word_stream and nothing else; null where the text is not all ASCII or has a word or gap of 255 characters.';

CREATE FUNCTION rag_internal.compound_forms(folded text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _longest constant integer := 128;
    _joined text;
    _exact text;
    _more text;
begin
    if folded !~ (E'[a-z0-9\\u0080-\\u1fff][-._@''][a-z0-9_\\u0080-\\u1fff]|[a-z](?:\\+\\+|#)|'
                  '(?:^|[\\s"''`(/,=])\\.[a-z]') then
        return array[_joined, _exact];
    end if;
    select string_agg(translate(c.form, '-_', ''), ' ')
               filter (where c.form !~ '[.@]|^[-0-9]+$'
                         and c.form ~ ('^[^-]{1,5}-[^-]+$|^[^-]+-[^-]{1,4}$|_|'
                                       '[0-9].*[^-0-9]|[^-0-9].*[0-9]')),
           string_agg(c.form || ':' || c.place, ' ') filter (where c.form ~ '[.@]|^[-0-9]+$')
    into _joined, _exact
    from (select m.form[1] as form, m.place
          from regexp_matches(folded,
              E'[a-z0-9\\u0080-\\u0dff\\u0f00-\\u0fff\\u1e00-\\u1fff]+'
              '(?:(?:[-.@]|_+)[a-z0-9\\u0080-\\u0dff\\u0f00-\\u0fff\\u1e00-\\u1fff]+)+', 'g')
              with ordinality m (form, place)
          offset 0) c
    where octet_length(c.form) <= _longest;

    -- what the less simple of them are known by, too: the words in foo_bar.py, u.s.a. and node.js,
    -- both sides of a mail address, the version in v2.14.0 and libfoo-2.14.0
    if _exact ~ E'_|(?:^| )[a-z](?:\\.[a-z])+:|\\.js:' then
        select string_agg(translate(m.form[1], '._', ''), ' ')
        into _more
        from regexp_matches(
            _exact,
            E'[^ .@:_-]+(?:_+[^ .@:_-]+)+|\\m[a-z](?:\\.[a-z])+(?=:)|\\m[a-z]+\\.js(?=:)', 'g')
            m (form);
        _joined := nullif(concat_ws(' ', _joined, _more), '');
        _exact := regexp_replace(_exact, E'(^| )[a-z](?:\\.[a-z])+:[0-9]+', E'\\1', 'g');
    end if;
    if strpos(_exact, '@') > 0 then
        _exact := regexp_replace(_exact, '([^ @:]+)@([^ @:]+)(:[0-9]+)', E'\\1@\\2\\3 \\2\\3', 'g');
        _exact := regexp_replace(
            _exact, E'([^ @:]+\\.[^ @:]+)@([^ @:]+)(:[0-9]+)', E'\\1@\\2\\3 \\1\\3', 'g');
    end if;
    if _exact ~ '(?:^| )v[0-9]|[0-9]-|-v?[0-9]' then
        -- 2.14 has the words of v2.14.0, too
        select string_agg(m.form[1], ' ')
        into _more
        from regexp_matches(_exact, '(?:^| )v([0-9]+)[.]', 'g') m (form);
        _joined := nullif(concat_ws(' ', _joined, _more), '');
        _exact := regexp_replace(_exact, '(^| )v(?=[0-9])', E'\\1', 'g');
        _exact := regexp_replace(
            _exact, E'(?:(^| )|([^ @:]+-)v?)([0-9]+(?:\\.[0-9]+)+)((?:-[^ @:]+)?)(:[0-9]+)',
            E'\\1\\2\\3\\4\\5 \\3\\5', 'g');
    end if;

    -- a shorter rest is that of a contraction
    if strpos(folded, '''') > 0
       and folded ~ E'[a-z0-9\\u0080-\\u0dff]''[a-z\\u0080-\\u0dff]{3}' then
        select string_agg(m.form[1] || m.form[2], ' ')
        into _more
        from regexp_matches(
            folded, E'([a-z0-9\\u0080-\\u0dff]+)''([a-z\\u0080-\\u0dff]{3,})', 'g') m (form)
        where m.form[1] !~ '^(?:[cdjlmnst]|qu|[a-z]*ll|un)$'
          and octet_length(m.form[1]) + octet_length(m.form[2]) <= _longest;
        _joined := nullif(concat_ws(' ', _joined, _more), '');
    end if;
    if folded ~ E'[a-z](?:\\+\\+|#)|(?:^|[\\s"''`(/,=])\\.[a-z]' then
        select string_agg(c.form || ':' || c.place, ' ')
        into _more
        from (select coalesce(m.form[1], m.form[2]) as form, m.place
              from regexp_matches(folded,
                  E'([a-z]+(?:\\+\\+|#)(?![a-z#]))|(?:^|[\\s"''`(/,=])(\\.[a-z][a-z0-9]*)', 'g')
                  with ordinality m (form, place)) c
        where octet_length(c.form) <= _longest and (length(c.form) = 2 or c.form !~ '#');
        _exact := nullif(concat_ws(' ', _exact, _more), '');
    end if;
    return array[_joined, _exact];
end
$_$;

ALTER FUNCTION rag_internal.compound_forms(folded text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.compound_forms(folded text) IS 'Two texts: compounds joined to words; identifiers with their signs in the notation of a tsvector, a position for each occurrence. Null where there are none; no form is longer than 128 bytes.';

CREATE FUNCTION rag_internal.indexable_words(words text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    -- repetitions of an expression end at 255; 254 characters are well below the limit
    if octet_length(words) <= 2046 or words !~ '[^ ]{255}| {255}' then
        return words;
    end if;
    return coalesce((select string_agg(w.word, ' ' order by w.place)
                     from string_to_table(words, ' ') with ordinality w (word, place)
                     where octet_length(w.word) between 1 and 2046), '');
end
$$;

ALTER FUNCTION rag_internal.indexable_words(words text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.indexable_words(words text) IS 'Words parted by blanks without those of more than 2,046 bytes.';

CREATE FUNCTION rag_internal.single_characters(folded text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select regexp_replace(
        regexp_replace(
            folded, E'[^\\u2e80-\\u2fdf\\u3005-\\u3007\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3'
                    '\\uf900-\\ufaff\\U00020000-\\U0003ffff]+', '', 'g'),
        '.', E'\\& ', 'g')
$$;

ALTER FUNCTION rag_internal.single_characters(folded text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.single_characters(folded text) IS 'The Han and Hangul characters of a folded text, parted by blanks.';

CREATE FUNCTION rag_internal.word_stream(folded text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    -- letters, and the marks that follow them, of the scripts written without spaces
    _letters constant text :=
        E'\\u0e01-\\u0e30\\u0e32\\u0e33\\u0e40-\\u0e46\\u0e81-\\u0eb0\\u0eb2\\u0eb3'
         '\\u0ebd-\\u0ec6\\u0edc-\\u0edf'
        '\\u1000-\\u102a\\u103f\\u1050-\\u1055\\u105a-\\u105d\\u1061\\u1065\\u1066'
        '\\u106e-\\u1070\\u1075-\\u1081'
        '\\u108e\\u1780-\\u17b3\\u17d7\\u17dc\\u2e80-\\u2fdf\\u3005-\\u3007\\u3021-\\u3029'
        '\\u3031-\\u3035'
        '\\u3038-\\u303c\\u3041-\\u3096\\u309d-\\u309f\\u30a1-\\u30fa\\u30fc-\\u30ff\\u3105-\\u312f'
        '\\u31a0-\\u31bf\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff'
        '\\uac00-\\ud7a3\\uf900-\\ufaff\\U00020000-\\U0003ffff';
    _marks constant text :=
        E'\\u0e31\\u0e34-\\u0e3a\\u0e47-\\u0e4e\\u0eb1\\u0eb4-\\u0ebc\\u0ec8-\\u0ece'
         '\\u102b-\\u103e\\u1056-\\u1059'
        '\\u105e-\\u1060\\u1062-\\u1064\\u1067-\\u106d\\u1071-\\u1074\\u1082-\\u108d\\u108f'
        '\\u109a-\\u109d'
        '\\u17b4-\\u17d3\\u17dd\\u3099\\u309a';
    _words text := folded;
begin
    if strpos(_words, '''') > 0 then
        _words := regexp_replace(
            _words, E'([a-z0-9\\u0080-\\U0010ffff])''s(?![a-z0-9\\u0080-\\U0010ffff])', E'\\1',
            'g');
    end if;
    _words := regexp_replace(_words, E'[^a-z0-9 \\u0080-\\U0010ffff]+', ' ', 'g');
    if octet_length(_words) > char_length(_words) and _words ~ ('[' || _letters || ']') then
        _words := regexp_replace(_words, '[' || _letters || _marks || ']+', E' \\& ', 'g');
        _words := regexp_replace(
            _words,
            '(?<=[' || _letters || _marks || '])[' || _letters || '][' || _marks || ']*'
            '(?=[' || _letters || '])', E'\\& \\&', 'g');
    end if;
    return _words;
end
$$;

ALTER FUNCTION rag_internal.word_stream(folded text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.word_stream(folded text) IS 'Words of letters and digits of a folded text, parted by blanks; pairs of characters where a script has no spaces.';

CREATE FUNCTION rag_internal.tsvector_bound(folded text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT ((COALESCE(sum(((octet_length(w.word) + 8) + (2 * LEAST(w.occurrences, (255)::bigint)))), (0)::numeric))::bigint + COALESCE(octet_length((rag_internal.compound_forms(tsvector_bound.folded))[2]), 0))
    FROM ( SELECT s.word,
             count(*) AS occurrences
            FROM string_to_table(concat_ws(' '::text, rag_internal.indexable_words(rag_internal.word_stream(tsvector_bound.folded)), (rag_internal.compound_forms(tsvector_bound.folded))[1], rag_internal.single_characters(tsvector_bound.folded)), ' '::text) s(word)
           GROUP BY (s.word COLLATE "C"), s.word) w;
END;

ALTER FUNCTION rag_internal.tsvector_bound(folded text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.tsvector_bound(folded text) IS 'An upper bound of the bytes that the lexemes of a folded text take in a tsvector.';

CREATE FUNCTION rag_internal.fitting_part(folded text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 WITH RECURSIVE cut AS (
          SELECT fitting_part.folded AS part,
             rag_internal.tsvector_bound(fitting_part.folded) AS bound
           WHERE (octet_length(fitting_part.folded) > 100000)
         UNION ALL
          SELECT s.part,
             rag_internal.tsvector_bound(s.part) AS tsvector_bound
            FROM ((( SELECT c_1.part,
                     ((char_length(c_1.part))::numeric * ((0.97 * (900000)::numeric) / (c_1.bound)::numeric)) AS length
                    FROM cut c_1
                   WHERE ((c_1.bound > 900000) AND (octet_length(c_1.part) > 100000))) c
              CROSS JOIN LATERAL ( SELECT "left"(c.part, (c.length)::integer) AS part
                  OFFSET 0) l)
              CROSS JOIN LATERAL ( SELECT "left"(l.part, (- strpos(reverse("right"(l.part, 3000)), ' '::text))) AS part
                   WHERE (strpos(reverse("right"(l.part, 3000)), ' '::text) > 0)
                 UNION ALL
                  SELECT l.part
                   WHERE (strpos(reverse("right"(l.part, 3000)), ' '::text) = 0)) s)
         )
  SELECT
         CASE
             WHEN (octet_length(folded) <= 100000) THEN folded
             ELSE ( SELECT c.part
                FROM cut c
               ORDER BY (octet_length(c.part))
              LIMIT 1)
         END AS part;
END;

ALTER FUNCTION rag_internal.fitting_part(folded text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.fitting_part(folded text) IS 'The part of a folded text that is analysed: all of it up to 100,000 bytes and as long as its distinct words, identifiers and positions come to 900,000 bytes.';

CREATE FUNCTION rag_internal.lexemes_of(config text, words text, joined text, exact text) RETURNS tsvector
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _gap constant tsvector := E'\x01:16';
    _words text := words;
begin
    if config = 'arabic' then
        _words := regexp_replace(_words, E'(?<![\\u0620-\\u064a])'
            '((?:[\\u0628\\u0641\\u0643\\u0648]?\\u0627\\u0644|\\u0644\\u0644)'
            '[\\u0621-\\u064a]{3,})'
            '\\u0647(?![\\u0620-\\u064a])', E'\\1\u0629', 'g');
    end if;
    if joined is null and exact is null then
        return to_tsvector(config::regconfig, _words);
    end if;
    return ts_delete(
        to_tsvector(config::regconfig, _words) || _gap || coalesce(exact, '')::tsvector
        || to_tsvector(config::regconfig, coalesce(joined, '')), E'\x01');
end
$$;

ALTER FUNCTION rag_internal.lexemes_of(config text, words text, joined text, exact text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.lexemes_of(config text, words text, joined text, exact text) IS 'Lexemes under a configuration by name, qualified where it is not in pg_catalog (42704 for an unknown one): of words, each at its place, of joined words, and of exact forms in the notation of a tsvector.';

CREATE FUNCTION rag_internal.analyze_folded(config text, folded text, characters boolean DEFAULT true) RETURNS tsvector
    LANGUAGE sql STABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT rag_internal.lexemes_of(analyze_folded.config, COALESCE(rag_internal.ascii_words(w.part), rag_internal.indexable_words(rag_internal.word_stream(w.part))),
         CASE
             WHEN (w.characters IS NULL) THEN w.forms[1]
             ELSE concat_ws(' '::text, w.forms[1], w.characters)
         END, w.forms[2]) AS lexemes_of
    FROM ( SELECT p.part,
             rag_internal.compound_forms(p.part) AS forms,
                 CASE
                     WHEN (analyze_folded.characters AND (octet_length(p.part) > char_length(p.part))) THEN rag_internal.single_characters(p.part)
                     ELSE NULL::text
                 END AS characters
            FROM ( SELECT
                         CASE
                             WHEN (octet_length(analyze_folded.folded) > 100000) THEN rag_internal.fitting_part(analyze_folded.folded)
                             ELSE analyze_folded.folded
                         END AS part
                  OFFSET 0) p
          OFFSET 0) w;
END;

ALTER FUNCTION rag_internal.analyze_folded(config text, folded text, characters boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.analyze_folded(config text, folded text, characters boolean) IS 'Lexemes of a folded text under a configuration by name: of its words, its compound forms and, where characters is true, of its Han and Hangul characters one by one.';

CREATE FUNCTION rag_internal.canonical_text_config(config text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _canonical text;
begin
    if config is null then
        return null;
    end if;
    select case when n.nspname = 'pg_catalog' then c.cfgname
                else format('%I.%I', n.nspname, c.cfgname) end
    into _canonical
    from pg_ts_config c
    join pg_namespace n on n.oid = c.cfgnamespace
    join pg_roles r on r.oid = c.cfgowner
    where (r.rolsuper or r.rolname = 'rag_owner')
      and config in (format('%I.%I', n.nspname, c.cfgname),
                     case when n.nspname = 'pg_catalog' then c.cfgname end);
    if not found then
        raise exception using
            errcode = '42704',
            message = format('there is no text search configuration "%s" to rely on', config),
            hint    = 'One of pg_catalog by its name (simple, english, german, ...), or a '
                      'superuser''s by schema and name.';
    end if;
    return _canonical;
end
$$;

ALTER FUNCTION rag_internal.canonical_text_config(config text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.canonical_text_config(config text) IS 'The name under which a configuration of pg_catalog, a superuser or rag_owner is found; 42704 for any other.';

CREATE FUNCTION rag_internal.fold_text(content text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    -- categories P, S, Z, No, Cc, Cf and Co of Unicode
    _signs constant text := E'['
        '\\u0080-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf\\u00d7\\u00f7\\u02c2-\\u02c5'
        '\\u02d2-\\u02df\\u02e5-\\u02eb\\u02ed\\u02ef-\\u02ff\\u0375\\u037e\\u0384\\u0385'
        '\\u0387\\u03f6'
        '\\u0482\\u055a-\\u055f\\u0589-\\u058f\\u05be\\u05c0\\u05c3\\u05c6\\u05f3-\\u060f'
        '\\u061b-\\u061f'
        '\\u066a-\\u066d\\u06d4\\u06dd\\u06de\\u06e9\\u06fd\\u06fe\\u0700-\\u070f\\u07f6-\\u07f9'
        '\\u07fe\\u07ff\\u0830-\\u083e\\u085e\\u0888\\u0890\\u0891\\u08e2\\u0964\\u0965\\u0970'
        '\\u09f2-\\u09fb\\u09fd\\u0a76\\u0af0\\u0af1\\u0b70\\u0b72-\\u0b77\\u0bf0-\\u0bfa'
        '\\u0c77-\\u0c7f'
        '\\u0c84\\u0d4f\\u0d58-\\u0d5e\\u0d70-\\u0d79\\u0df4\\u0e3f\\u0e4f\\u0e5a\\u0e5b'
        '\\u0f01-\\u0f17'
        '\\u0f1a-\\u0f1f\\u0f2a-\\u0f34\\u0f36\\u0f38\\u0f3a-\\u0f3d\\u0f85\\u0fbe-\\u0fc5'
        '\\u0fc7-\\u0fda'
        '\\u104a-\\u104f\\u109e\\u109f\\u10fb\\u1360-\\u137c\\u1390-\\u1399\\u1400\\u166d'
        '\\u166e\\u1680'
        '\\u169b\\u169c\\u16eb-\\u16ed\\u1735\\u1736\\u17d4-\\u17d6\\u17d8-\\u17db'
        '\\u17f0-\\u180a\\u180e'
        '\\u1940-\\u1945\\u19da-\\u19ff\\u1a1e\\u1a1f\\u1aa0-\\u1aa6\\u1aa8-\\u1aad\\u1b5a-\\u1b6a'
        '\\u1b74-\\u1b7e\\u1bfc-\\u1bff\\u1c3b-\\u1c3f\\u1c7e\\u1c7f\\u1cc0-\\u1cc7\\u1cd3\\u1fbd'
        '\\u1fbf-\\u1fc1\\u1fcd-\\u1fcf\\u1fdd-\\u1fdf\\u1fed-\\u1fef\\u1ffd-\\u2070\\u2074-\\u207e'
        '\\u2080-\\u208e\\u20a0-\\u20c0\\u2100\\u2101\\u2103-\\u2106\\u2108\\u2109\\u2114'
        '\\u2116-\\u2118'
        '\\u211e-\\u2123\\u2125\\u2127\\u2129\\u212e\\u213a\\u213b\\u2140-\\u2144\\u214a-\\u214d'
        '\\u214f-\\u215f\\u2189-\\u2bff\\u2ce5-\\u2cea\\u2cf9-\\u2cff\\u2d70\\u2e00-\\u2e2e'
        '\\u2e30-\\u3004'
        '\\u3008-\\u3020\\u3030\\u3036\\u3037\\u303d-\\u303f\\u309b\\u309c\\u30a0\\u30fb'
        '\\u3190-\\u319f'
        '\\u31c0-\\u31ef\\u3200-\\u33ff\\u4dc0-\\u4dff\\ua490-\\ua4c6\\ua4fe\\ua4ff'
        '\\ua60d-\\ua60f\\ua673'
        '\\ua67e\\ua6f2-\\ua716\\ua720\\ua721\\ua789\\ua78a\\ua828-\\ua82b\\ua830-\\ua839'
        '\\ua874-\\ua877'
        '\\ua8ce\\ua8cf\\ua8f8-\\ua8fa\\ua8fc\\ua92e\\ua92f\\ua95f\\ua9c1-\\ua9cd\\ua9de\\ua9df'
        '\\uaa5c-\\uaa5f\\uaa77-\\uaa79\\uaade\\uaadf\\uaaf0\\uaaf1\\uab5b\\uab6a\\uab6b\\uabeb'
        '\\ue000-\\uf8ff\\ufb29\\ufbb2-\\ufbc2\\ufd3e-\\ufd4f\\ufdcf\\ufdfc-\\ufdff\\ufe10-\\ufe19'
        '\\ufe30-\\ufe6b\\ufeff-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65\\uffe0-\\ufffd'
        '\\U0001d000-\\U0001d1ff\\U0001f000-\\U0001faff\\U0001fb00-\\U0001fbca'
        '\\U000e0000-\\U000e00ff'
        '\\U000f0000-\\U0010ffff'
        ']+';
    _text text := content;
begin
    if octet_length(_text) = char_length(_text) then
        return lower(_text collate "C");
    end if;
    _text := regexp_replace(_text, E'[\\u2018\\u2019\\u201b\\u2032\\u02bc]', '''', 'g');
    _text := regexp_replace(_text, E'[\\u2010-\\u2013\\u2212]', '-', 'g');
    _text := regexp_replace(_text,
        E'[\\u00a0-\\u00a7\\u00a9\\u00ab\\u00ae\\u00b0\\u00b1\\u00b6\\u00bb\\u00bf\\u00d7'
         '\\u2014-\\u2017'
        '\\u201c-\\u2027\\u2030\\u2039\\u203a\\u2190-\\u21ff\\u2500-\\u25ff]+', ' ', 'g');
    if octet_length(_text) = char_length(_text) then
        return lower(_text collate "C");
    end if;

    -- marks apart from their letters, then without: accents, Arabic vowels, hamza and Koranic
    -- signs, tatweel, soft hyphens, joiners, directions, variation selectors; but the Cyrillic
    -- short i is a letter of its own, which stemmers know
    _text := regexp_replace(
        replace(replace(lower(normalize(_text, nfkd) collate "und-x-icu"),
                        E'\u0438\u0306', E'\u0439'), E'\u02bc', ''''),
        E'[\\u0300-\\u036f\\u0610-\\u061a\\u061c\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc'
        '\\u06df-\\u06e8\\u06ea-\\u06ed\\u08d3-\\u08e1\\u08e3-\\u08ff\\u00ad\\u200d-\\u200f'
        '\\u202a-\\u202e\\u2060\\u2066-\\u2069\\u20d0-\\u20f0\\ufe00-\\ufe0f\\ufeff]+', '', 'g');
    if octet_length(_text) = char_length(_text) then
        return _text;
    end if;
    -- The non-joiner parts the stem of a Persian word from its affix, which others write with a
    -- space or as one word: all three match. Thai, Lao, Burmese and Khmer mark words with the
    -- zero-width space.
    if _text ~ E'[\\u0600-\\u08ff\\u200b\\u200c]' then
        _text := translate(
            regexp_replace(regexp_replace(_text,
                E'([\\u0620-\\u06ff]+)\\u200c([\\u0620-\\u06ff]+)', E'\\1 \\2 \\1\\2', 'g'),
                E'(?<=[\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff])\\u200b', ' ', 'g'),
            -- alef wasla, alef maqsura, Persian yeh and keheh, teh marbuta (two), heh goal; digits
            E'\u0671\u0649\u06cc\u06a9\u0629\u06c3\u06c1'
             '\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669'
             '\u06f0\u06f1\u06f2\u06f3\u06f4\u06f5\u06f6\u06f7\u06f8\u06f9'
             '\u066b\u066c\u200b\u200c',
            E'\u0627\u064a\u064a\u0643\u0647\u0647\u0647'
             '01234567890123456789.,');
    end if;
    -- Letters that keyboards elsewhere lack and Unicode does not take apart: sharp s, ligatures,
    -- letters with strokes, dotless i, final sigma, the Catalan double l; and digits: Devanagari,
    -- Bengali, Thai, Lao, Burmese, Khmer
    if _text ~ E'[\\u00b7\\u00df\\u00e6\\u00f8\\u00fe\\u0111\\u0127\\u0131\\u0142\\u0153\\u03c2'
               '\\u0966-\\u096f\\u09e6-\\u09ef\\u0e50-\\u0e59\\u0ed0-\\u0ed9\\u1040-\\u1049'
               '\\u17e0-\\u17e9]' then
        _text := translate(
            replace(replace(replace(replace(replace(_text,
                E'\u00df', 'ss'), E'\u00e6', 'ae'), E'\u0153', 'oe'), E'\u00fe', 'th'),
                E'l\u00b7l', 'll'),
            E'\u0111\u0127\u0131\u0142\u00f8\u03c2'
             '\u0966\u0967\u0968\u0969\u096a\u096b\u096c\u096d\u096e\u096f'
             '\u09e6\u09e7\u09e8\u09e9\u09ea\u09eb\u09ec\u09ed\u09ee\u09ef'
             '\u0e50\u0e51\u0e52\u0e53\u0e54\u0e55\u0e56\u0e57\u0e58\u0e59'
             '\u0ed0\u0ed1\u0ed2\u0ed3\u0ed4\u0ed5\u0ed6\u0ed7\u0ed8\u0ed9'
             '\u1040\u1041\u1042\u1043\u1044\u1045\u1046\u1047\u1048\u1049'
             '\u17e0\u17e1\u17e2\u17e3\u17e4\u17e5\u17e6\u17e7\u17e8\u17e9',
            E'dhilo\u03c3'
             '012345678901234567890123456789012345678901234567890123456789');
    end if;
    _text := regexp_replace(_text, _signs, ' ', 'g');
    return case when _text is nfc normalized then _text else normalize(_text, nfc) end;
end
$$;

ALTER FUNCTION rag_internal.fold_text(content text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.fold_text(content text) IS 'Lower case, without accents, vowel marks and invisible characters, compatibility forms composed; one form of each apostrophe, hyphen and Arabic letter; signs beyond ASCII blank.';

CREATE FUNCTION rag."analyze"(content text, config text DEFAULT 'english'::text) RETURNS tsvector
    LANGUAGE sql STABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT rag_internal.analyze_folded(rag_internal.canonical_text_config(config), rag_internal.fold_text(content), true) AS analyze_folded;
END;

ALTER FUNCTION rag."analyze"(content text, config text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag."analyze"(content text, config text) IS 'The lexemes of a text under a text search configuration: words at their places, then identifiers and compounds as wholes. Case, accents and compatibility forms are folded. An unknown configuration is 42704.';

CREATE FUNCTION rag_internal.search(who name, ticket bytea, token text, request rag_internal.search_request) RETURNS SETOF rag.hit
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _result rag_internal.retrieval := rag_internal.answer(
        rag_internal.retrieve(rag_internal.authenticate(who, ticket, token), request));
begin
    return query select h.* from unnest(_result.hits) h;
end
$$;

ALTER FUNCTION rag_internal.search(who name, ticket bytea, token text, request rag_internal.search_request) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.search(who name, ticket bytea, token text, request rag_internal.search_request) IS 'See rag.search.';

CREATE FUNCTION rag_internal.search_request(query text, collections text[] DEFAULT NULL::text[], top_k integer DEFAULT 10, strategy text DEFAULT NULL::text, filter jsonb DEFAULT NULL::jsonb, filter_path jsonpath DEFAULT NULL::jsonpath, vars jsonb DEFAULT NULL::jsonb, weights jsonb DEFAULT NULL::jsonb, rrf_k integer DEFAULT NULL::integer, skip integer DEFAULT 0, allow_degraded boolean DEFAULT false, query_vector public.vector DEFAULT NULL::public.vector, hyde_vector public.vector DEFAULT NULL::public.vector, min_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, max_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, as_of timestamp with time zone DEFAULT NULL::timestamp with time zone, include_archived boolean DEFAULT NULL::boolean, fusion text DEFAULT NULL::text, candidates integer DEFAULT NULL::integer, min_score double precision DEFAULT NULL::double precision, correct_typos boolean DEFAULT NULL::boolean, max_distance integer DEFAULT NULL::integer, rerank text DEFAULT NULL::text, rerank_candidates integer DEFAULT NULL::integer, rerank_optional boolean DEFAULT NULL::boolean, min_relevance double precision DEFAULT NULL::double precision, gate double precision DEFAULT NULL::double precision, mmr_lambda double precision DEFAULT NULL::double precision, collapse boolean DEFAULT NULL::boolean, max_per_document integer DEFAULT NULL::integer, expand text DEFAULT NULL::text, highlight boolean DEFAULT NULL::boolean) RETURNS rag_internal.search_request
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT ROW(query, query_vector, hyde_vector, collections, top_k, skip, strategy, filter, filter_path, vars, min_updated_at, max_updated_at, as_of, include_archived, weights, rrf_k, fusion, candidates, min_score, correct_typos, max_distance, rerank, rerank_candidates, rerank_optional, min_relevance, gate, mmr_lambda, collapse, max_per_document, expand, highlight, NULL::double precision, NULL::double precision, NULL::jsonb, allow_degraded)::rag_internal.search_request AS "row";
END;

ALTER FUNCTION rag_internal.search_request(query text, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, skip integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, highlight boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.search_request(query text, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, skip integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, highlight boolean) IS 'The arguments as one value.';

CREATE FUNCTION rag.bm25_search(query text, collections text[] DEFAULT NULL::text[], top_k integer DEFAULT 10, filter jsonb DEFAULT NULL::jsonb, filter_path jsonpath DEFAULT NULL::jsonpath, vars jsonb DEFAULT NULL::jsonb, skip integer DEFAULT 0, min_score double precision DEFAULT NULL::double precision, min_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, max_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, as_of timestamp with time zone DEFAULT NULL::timestamp with time zone, include_archived boolean DEFAULT NULL::boolean, highlight boolean DEFAULT NULL::boolean, token text DEFAULT NULL::text) RETURNS SETOF rag.hit
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT h.rank,
     h.score,
     h.document_id,
     h.chunk_index,
     h.collection,
     h.source,
     h.title,
     h.heading,
     h.content,
     h.highlight,
     h.start_offset,
     h.end_offset,
     h.start_line,
     h.end_line,
     h.page,
     h.kind,
     h.metadata,
     h.semantic_rank,
     h.semantic_score,
     h.bm25_rank,
     h.bm25_score,
     h.fuzzy_rank,
     h.fuzzy_score,
     h.rerank_score,
     h.corrected_query,
     h.degraded,
     h.citation,
     h.version,
     h.matches,
     h.expanded,
     h.expanded_start,
     h.expanded_end
    FROM rag_internal.caller c,
     LATERAL rag_internal.search(c.who, c.ticket, bm25_search.token, rag_internal.search_request(query => bm25_search.query, strategy => 'bm25'::text, collections => bm25_search.collections, top_k => bm25_search.top_k, filter => bm25_search.filter, filter_path => bm25_search.filter_path, vars => bm25_search.vars, skip => bm25_search.skip, min_score => bm25_search.min_score, min_updated_at => bm25_search.min_updated_at, max_updated_at => bm25_search.max_updated_at, as_of => bm25_search.as_of, include_archived => bm25_search.include_archived, highlight => bm25_search.highlight)) h(rank, score, document_id, chunk_index, collection, source, title, heading, content, highlight, start_offset, end_offset, start_line, end_line, page, kind, metadata, semantic_rank, semantic_score, bm25_rank, bm25_score, fuzzy_rank, fuzzy_score, rerank_score, corrected_query, degraded, citation, version, matches, expanded, expanded_start, expanded_end);
END;

ALTER FUNCTION rag.bm25_search(query text, collections text[], top_k integer, filter jsonb, filter_path jsonpath, vars jsonb, skip integer, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, highlight boolean, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.bm25_search(query text, collections text[], top_k integer, filter jsonb, filter_path jsonpath, vars jsonb, skip integer, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, highlight boolean, token text) IS 'The top_k passages by BM25, its statistics taken over what the caller can see in the collections searched. Arguments as in rag.search.';

CREATE FUNCTION rag_internal.cancel_job(who name, ticket bytea, job_id bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _job rag_internal.job := rag_internal.own_job(
        rag_internal.authenticate(who, ticket), cancel_job.job_id);
begin
    update rag_internal.job j
    set status = 'cancelled', finished_at = clock_timestamp()
    where j.job_id = cancel_job.job_id and j.status in ('queued', 'running');
    if not found then
        return false;
    end if;
    perform rag_internal.finish_jobs(array[cancel_job.job_id]);
    perform pg_notify('ragsql_job_' || cancel_job.job_id, 'cancelled');
    return true;
end
$$;

ALTER FUNCTION rag_internal.cancel_job(who name, ticket bytea, job_id bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.cancel_job(who name, ticket bytea, job_id bigint) IS 'See rag.cancel_job.';

CREATE FUNCTION rag.cancel_job(job_id bigint) RETURNS boolean
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.cancel_job(c.who, c.ticket, cancel_job.job_id) AS cancel_job
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.cancel_job(job_id bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.cancel_job(job_id bigint) IS 'Ends a job of the caller''s: what is embedded stays, the other passages are given up (rag.dead_letter) until rag.retry_job(job_id) or rag.prepare_model(collection). false where it had ended.';

CREATE FUNCTION rag_internal.check_recall(who name, ticket bytea, collection text, n integer) RETURNS rag.recall_check
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
    _at constant integer := 10;
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _scope rag_internal.scope := rag_internal.lexical_scope(_identity, array[collection]);
    _model rag_internal.model;
    _question record;
    _nearest double precision[];
    _found double precision[];
    _shares double precision[] := '{}';
    _result rag.recall_check;
begin
    if n is null or n not between 1 and 10000 then
        raise exception using
            errcode = '22023',
            message = format('n is %s, but must be 1 to 10,000', coalesce(n::text, 'null')),
            hint    = 'Each of n passages is searched for twice, once exactly.';
    end if;
    _scope.acl_ids := array(select rag_internal.visible_acls(_identity));
    select m.* into _model
    from rag_internal.collection k join rag_internal.model m using (model_id)
    where k.collection_id = any (_scope.collection_ids);
    if not found then
        raise exception using
            errcode = '55000',
            message = format('collection "%s" has no embedding model', collection),
            hint    = 'There is nothing to measure.';
    end if;
    for _question in
        with passage as (
            select row(c.document_id, c.chunk_index) as id,
                   coalesce(e.full_v, e.v::"public".vector) as v
            from rag_internal.embedding e join rag_internal.live_chunk c using (chunk_id)
            where e.model_id = _model.model_id and e.acl_id = any (_scope.acl_ids)
              and e.collection_id = any (_scope.collection_ids)
            order by random()
            limit 2 * n
        ), numbered as (
            select p.*, row_number() over () as number from passage p
        )
        select s.ids,
               "public".l2_normalize(
                   s.vs[1] operator("public".+) s.vs[1]
                   operator("public".+) coalesce(s.vs[2], s.vs[1])) as v
        from (select array_agg(p.id) as ids, array_agg(p.v) as vs
              from numbered p
              group by (p.number - 1) / 2) s
        limit n
    loop
        select array_agg(h.score order by h.route, h.rank) filter (where h.route = 'exact'),
               coalesce(array_agg(h.score) filter (where h.route = 'auto'), '{}')
        into _nearest, _found
        from (select r.route, h.rank, h.score,
                     row_number() over (partition by r.route order by h.rank) as place
              from unnest('{exact, auto}'::text[]) r (route),
                   lateral rag_internal.semantic_leg(_question.v, _model, _scope, '{}',
                                                     rag_internal.leg_depth(_at + 2), r.route) l,
                   unnest(l.hits) h
              -- both are found by any index
              where row(h.document_id, h.chunk_index) <> all (_question.ids)) h
        where h.place <= _at;
        _result.queries := coalesce(_result.queries, 0) + 1;
        if _nearest is not null then
            -- by score, so that equal passages stand for each other
            _shares := _shares || (
                select count(*)::double precision / cardinality(_nearest)
                from unnest(_found) f (score)
                where f.score >= _nearest[cardinality(_nearest)]);
        end if;
    end loop;
    _result.queries := coalesce(_result.queries, 0);
    _result.recall := (select avg(s) from unnest(_shares) s);
    _result.at := _at;
    return _result;
end
$$;

ALTER FUNCTION rag_internal.check_recall(who name, ticket bytea, collection text, n integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_recall(who name, ticket bytea, collection text, n integer) IS 'See rag.check_recall.';

CREATE FUNCTION rag.check_recall(collection text, n integer DEFAULT 100) RETURNS rag.recall_check
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT rag_internal.check_recall(c.who, c.ticket, check_recall.collection, check_recall.n) AS check_recall
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.check_recall(collection text, n integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.check_recall(collection text, n integer) IS 'Share of the 10 exactly nearest passages that the vector index finds too, a mean over n questions that lie near a random passage which the caller can see. recall is null where none has a neighbour. Writes nothing. More recall: ef_search, m or ef_construction of rag.add_model.';

CREATE FUNCTION rag_internal.chunk_quality(who name, ticket bytea, document_id uuid, collection text) RETURNS rag.chunking_quality
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection rag_internal.collection;
    _result rag.chunking_quality;
begin
    if num_nonnulls(chunk_quality.document_id, chunk_quality.collection) <> 1 then
        raise exception using
            errcode = '22023',
            message = 'give either document_id or collection',
            hint    = 'For example: rag.chunk_quality(collection => ''handbook'').';
    end if;
    if chunk_quality.collection is not null then
        select k.* into strict _collection
        from rag_internal.visible_collections(_identity, array[chunk_quality.collection]) k;
    end if;

    with measured as (
        select rag_internal.chunk_counts(d.content, s.starts, s.ends, s.kinds, s.token_counts,
                                         d.indexed_as, m, d.source, d.mime) as counts
        from rag_internal.document d
        join rag_internal.collection k using (collection_id)
        left join rag_internal.model m using (model_id)
        cross join lateral (
            select array_agg(c.start_offset order by c.chunk_index) as starts,
                   array_agg(c.end_offset order by c.chunk_index) as ends,
                   array_agg(c.kind order by c.chunk_index) as kinds,
                   array_agg(c.token_count order by c.chunk_index) as token_counts
            from rag_internal.chunk c
            where c.document_id = d.document_id) s
        where d.acl_id in (select rag_internal.visible_acls(_identity))
          and (d.document_id = chunk_quality.document_id
               or d.collection_id = _collection.collection_id)
    )
    select count(*), coalesce(sum((counts).chunks), 0), coalesce(sum((counts).split_fences), 0),
           coalesce(sum((counts).split_tables), 0), coalesce(sum((counts).cut_lists), 0),
           coalesce(sum((counts).cut_sentences), 0),
           sum((counts).within_size)::real / nullif(sum((counts).chunks), 0),
           sum((counts).characters_covered)::real / nullif(sum((counts).characters_total), 0)
    into _result
    from measured;
    if _result.documents = 0 and chunk_quality.document_id is not null then
        raise exception using
            errcode = 'P0002',
            message = format('document %s does not exist or is not visible to you',
                             chunk_quality.document_id),
            hint    = 'select document_id, source from rag.document shows those that are.';
    end if;
    return _result;
end
$$;

ALTER FUNCTION rag_internal.chunk_quality(who name, ticket bytea, document_id uuid, collection text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.chunk_quality(who name, ticket bytea, document_id uuid, collection text) IS 'See rag.chunk_quality.';

CREATE FUNCTION rag.chunk_quality(document_id uuid DEFAULT NULL::uuid, collection text DEFAULT NULL::text) RETURNS rag.chunking_quality
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT rag_internal.chunk_quality(c.who, c.ticket, chunk_quality.document_id, chunk_quality.collection) AS chunk_quality
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.chunk_quality(document_id uuid, collection text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.chunk_quality(document_id uuid, collection text) IS 'How well a document, or what the caller can see of a collection, is cut: split_fences, split_tables, cut_lists and cut_sentences count what was cut in two; within_size is the share of passages of the size asked for, give or take half; coverage the share of characters other than white space in some passage. P0002 for what the caller does not see.';

CREATE FUNCTION rag_internal.chunk_text(who name, ticket bytea, content text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, source text, language text, mime text) RETURNS SETOF rag.text_chunk
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _model rag_internal.model;
begin
    perform rag_internal.authenticate(who, ticket);
    perform rag_internal.require_visible_text('content', chunk_text.content);
    if chunk_text.model is distinct from 'none'
       and (chunk_text.model is not null
            or exists (select from rag_internal.model m where m.is_default)) then
        _model := rag_internal.find_model(chunk_text.model);
    end if;
    return query
        select p.*
        from rag_internal.split_text(chunk_text.content, coalesce(chunk_text.strategy, 'word'),
                                     chunk_text.chunk_size, chunk_text.overlap,
                                     chunk_text.min_chunk_size, _model, chunk_text.source,
                                     chunk_text.language, chunk_text.mime) p;
end
$$;

ALTER FUNCTION rag_internal.chunk_text(who name, ticket bytea, content text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, source text, language text, mime text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.chunk_text(who name, ticket bytea, content text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, source text, language text, mime text) IS 'See rag.chunk_text.';

CREATE FUNCTION rag.chunk_text(content text, strategy text DEFAULT 'word'::text, chunk_size integer DEFAULT NULL::integer, overlap integer DEFAULT NULL::integer, min_chunk_size integer DEFAULT NULL::integer, model text DEFAULT NULL::text, source text DEFAULT NULL::text, language text DEFAULT NULL::text, mime text DEFAULT NULL::text) RETURNS SETOF rag.text_chunk
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT p.chunk_index,
     p.content,
     p.start_offset,
     p.end_offset,
     p.start_line,
     p.end_line,
     p.heading,
     p.section_start,
     p.section_end,
     p.kind,
     p.token_count,
     p.value,
     p.embed_text
    FROM rag_internal.caller c,
     LATERAL rag_internal.chunk_text(c.who, c.ticket, chunk_text.content, chunk_text.strategy, chunk_text.chunk_size, chunk_text.overlap, chunk_text.min_chunk_size, chunk_text.model, chunk_text.source, chunk_text.language, chunk_text.mime) p(chunk_index, content, start_offset, end_offset, start_line, end_line, heading, section_start, section_end, kind, token_count, value, embed_text);
END;

ALTER FUNCTION rag.chunk_text(content text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, source text, language text, mime text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.chunk_text(content text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, source text, language text, mime text) IS 'Passages of a text; content = substr(text, start_offset + 1, end_offset - start_offset). Strategies: word, semantic, character, token, markdown, code, json, clause, auto, and the presets documentation, schemas, deployments; docs/chunking.md has their units and sizes. source (a file name) and language say what code is written in, source and mime guide auto. Each passage, its context (embed_text) included, fits the window of the model (null: the default model, none: no limit). 22023 for an unknown strategy or sizes that cannot work.';

CREATE FUNCTION rag_internal.claim_job(who name, ticket bytea, max_passages integer) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _lease constant interval := '5 minutes';
    _claim_id uuid := gen_random_uuid();
    _first rag_internal.embedding_task;
    _job_ids bigint[];
begin
    if max_passages is null or max_passages < 1 then
        raise exception using
            errcode = '22023',
            message = format('max_passages is %s, but must be 1 or more',
                             coalesce(max_passages::text, 'null')),
            hint    = 'A claim of 32 is embedded in a few seconds.';
    end if;
    perform rag_internal.require_read_committed('rag.claim_job');
    loop
        select t.* into _first
        from rag_internal.embedding_task t
        join rag_internal.job j using (job_id)
        where not t.is_dead and t.run_after <= clock_timestamp()
          and rag_internal.owns_job(j, _identity)
          and not exists (select from rag_internal.provider_pause p
                          where p.model_id = t.model_id and p.until > clock_timestamp())
        order by t.run_after
        limit 1
        for update of t skip locked;
        exit when not found or _first.attempts < 5;
        perform rag_internal.bury_abandoned(_first);
    end loop;
    if _first.chunk_id is null then
        perform rag_internal.finish_jobs(array(
            select j.job_id from rag_internal.job j
            where j.status in ('queued', 'running') and rag_internal.owns_job(j, _identity)
              and not exists (select from rag_internal.embedding_task t
                              where t.job_id = j.job_id and not t.is_dead)));
        return null;
    end if;

    with mine as materialized (
        select t.model_id, t.chunk_id
        from rag_internal.embedding_task t
        join rag_internal.job j using (job_id)
        where not t.is_dead and t.run_after <= clock_timestamp()
          and t.model_id = _first.model_id and t.attempts = 0 and _first.attempts = 0
          and t.chunk_id <> _first.chunk_id
          and rag_internal.owns_job(j, _identity)
        order by t.run_after
        limit max_passages - 1
        for update of t skip locked
    ), claimed as (
        update rag_internal.embedding_task t
        set claim_id = _claim_id, attempts = t.attempts + 1,
            run_after = clock_timestamp() + _lease
        from (select m.chunk_id from mine m union all select _first.chunk_id) c
        where t.model_id = _first.model_id and t.chunk_id = c.chunk_id
        returning t.job_id
    )
    select array_agg(distinct c.job_id) into _job_ids from claimed c;
    perform from rag_internal.job j
    where j.job_id = any (_job_ids) and j.status = 'queued'
    order by j.job_id
    for no key update;
    update rag_internal.job j set status = 'running'
    where j.job_id = any (_job_ids) and j.status = 'queued';
    return _claim_id;
end
$$;

ALTER FUNCTION rag_internal.claim_job(who name, ticket bytea, max_passages integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.claim_job(who name, ticket bytea, max_passages integer) IS 'See rag.claim_job.';

CREATE FUNCTION rag.claim_job(max_passages integer DEFAULT 32) RETURNS uuid
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.claim_job(c.who, c.ticket, claim_job.max_passages) AS claim_job
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.claim_job(max_passages integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.claim_job(max_passages integer) IS 'Claims up to max_passages that wait for a vector, of jobs that the caller asked for (all, for who sees everything); null where none do. Commit, then call rag.embed_claimed; a claim that is never answered returns after 5 minutes.';

CREATE FUNCTION rag_internal.configure_role(who name, ticket bytea, role text, token_required boolean, clearance integer, tenant text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _role_oid oid := (select r.oid from pg_roles r where r.rolname = configure_role.role);
begin
    perform rag_internal.require_admin(rag_internal.authenticate(who, ticket),
                                       'configure roles');
    if _role_oid is null then
        raise exception using
            errcode = '42704',
            message = format('role "%s" does not exist', configure_role.role),
            hint    = 'Make it first: create role ...;';
    elsif clearance not between 0 and 32767 or length(configure_role.tenant) > 200 then
        raise exception using
            errcode = '22023',
            message = 'clearance is not 0 to 32767, or tenant has more than 200 characters',
            hint    = 'Null keeps what is configured.';
    end if;
    insert into rag_internal.role_rule as r (name, role_oid, token_required, clearance, tenant)
    values (configure_role.role, _role_oid, coalesce(configure_role.token_required, false),
            coalesce(configure_role.clearance, 0), coalesce(configure_role.tenant, ''))
    on conflict (name) do update
    set role_oid = excluded.role_oid,
        token_required = coalesce(configure_role.token_required, r.token_required),
        clearance = coalesce(configure_role.clearance, r.clearance),
        tenant = coalesce(configure_role.tenant, r.tenant);
    delete from rag_internal.role_rule r
    where r.name = configure_role.role and not r.token_required and r.clearance = 0
      and r.tenant = '';
end
$$;

ALTER FUNCTION rag_internal.configure_role(who name, ticket bytea, role text, token_required boolean, clearance integer, tenant text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.configure_role(who name, ticket bytea, role text, token_required boolean, clearance integer, tenant text) IS 'See rag.configure_role.';

CREATE FUNCTION rag.configure_role(role text, token_required boolean DEFAULT NULL::boolean, clearance integer DEFAULT NULL::integer, tenant text DEFAULT NULL::text) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.configure_role(c.who, c.ticket, configure_role.role, configure_role.token_required, configure_role.clearance, configure_role.tenant) AS configure_role
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.configure_role(role text, token_required boolean, clearance integer, tenant text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.configure_role(role text, token_required boolean, clearance integer, tenant text) IS 'rag_admin only; null keeps what is configured. It holds for the role and for every role that has usage of it, superusers apart. token_required: without a token it is nobody, and reads nothing. clearance: the highest security level it reads. tenant: the only one it reads and writes in; a role of several is nobody. A role made anew under the name is nobody until it is configured again.';

CREATE FUNCTION rag_internal.configure_search_log(who name, ticket bytea, mode text, days integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
begin
    perform rag_internal.require_admin(rag_internal.authenticate(who, ticket),
                                       'say what is recorded of searches');
    if mode not in ('hash', 'text', 'off') or days < 1 then
        raise exception using
            errcode = '22023',
            message = 'mode is not hash, text or off, or days is less than 1',
            hint    = 'Null keeps what is configured.';
    end if;
    update rag_internal.search_log_setting s
    set mode = coalesce(configure_search_log.mode, s.mode),
        days = coalesce(configure_search_log.days, s.days);
end
$$;

ALTER FUNCTION rag_internal.configure_search_log(who name, ticket bytea, mode text, days integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.configure_search_log(who name, ticket bytea, mode text, days integer) IS 'See rag.configure_search_log.';

CREATE FUNCTION rag.configure_search_log(mode text DEFAULT NULL::text, days integer DEFAULT NULL::integer) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.configure_search_log(c.who, c.ticket, configure_search_log.mode, configure_search_log.days) AS configure_search_log
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.configure_search_log(mode text, days integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.configure_search_log(mode text, days integer) IS 'rag_admin only; null keeps what is configured. mode: hash (the query as a keyed hash: the default), text (the query itself, redacted) or off. days: how long rag.maintain keeps records, 90 by default.';

CREATE FUNCTION rag_internal.context(who name, ticket bytea, token text, request rag_internal.search_request, max_tokens integer, templates text[], model text) RETURNS rag.context_result
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket, token);
    _found rag_internal.retrieval;
    _model rag_internal.model;
    _hits jsonb;
    _written jsonb;
    _result rag.context_result;
begin
    if context.max_tokens is null or context.max_tokens < 1 then
        raise exception using
            errcode = '22023',
            message = format('max_tokens is %s, but must be 1 or more', context.max_tokens),
            hint    = '2000 holds some eight passages.';
    end if;
    if context.model is not null then
        _model := rag_internal.find_model(context.model, _identity);
    end if;
    _found := rag_internal.answer(rag_internal.retrieve(_identity, request));
    if context.model is null then
        select m.* into _model
        from rag_internal.model m
        where m.model_id = coalesce(
            (select k.model_id
             from rag_internal.document d
             join rag_internal.collection k using (collection_id)
             where d.document_id = (_found.hits[1]).document_id),
            (select f.model_id from rag_internal.model f
             where f.kind = 'embedding' and f.is_default));
    end if;

    _hits := coalesce((select jsonb_agg(rag_internal.context_hit(h) order by h.rank)
                       from unnest(_found.hits) h), '[]');
    _written := rag_internal.write_context((request).query, _hits, context.max_tokens,
                                           context.templates, _model);
    _result.context := _written ->> 'context';
    _result.tokens := _written -> 'tokens';
    _result.status := case when _written -> 'sources' <> '[]' then 'found'
                           when _hits <> '[]' then 'no room'
                           when _found.status = 'found' then 'no match'
                           else _found.status end;
    _result.sources := coalesce((
        select jsonb_agg(
                   ((_hits -> (s.source -> 'hits' ->> 0)::integer) - 'content' - 'page')
                   || (s.source - 'hits')
                   || jsonb_build_object(
                          'number', s.number,
                          'citations', (select jsonb_agg(_hits -> p.place::integer -> 'citation'
                                                         order by p.n)
                                        from jsonb_array_elements_text(s.source -> 'hits')
                                             with ordinality p (place, n)))
                   order by s.number)
        from jsonb_array_elements(_written -> 'sources') with ordinality s (source, number)), '[]');
    _result.degraded := nullif(
        coalesce(_found.degraded, '{}')
        || array(select n.note from jsonb_array_elements_text(_written -> 'degraded') n (note)),
        '{}');
    return _result;
end
$$;

ALTER FUNCTION rag_internal.context(who name, ticket bytea, token text, request rag_internal.search_request, max_tokens integer, templates text[], model text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.context(who name, ticket bytea, token text, request rag_internal.search_request, max_tokens integer, templates text[], model text) IS 'See rag.context.';

CREATE FUNCTION rag.context(query text, max_tokens integer DEFAULT 2000, collections text[] DEFAULT NULL::text[], top_k integer DEFAULT 10, strategy text DEFAULT NULL::text, filter jsonb DEFAULT NULL::jsonb, filter_path jsonpath DEFAULT NULL::jsonpath, vars jsonb DEFAULT NULL::jsonb, weights jsonb DEFAULT NULL::jsonb, rrf_k integer DEFAULT NULL::integer, allow_degraded boolean DEFAULT false, query_vector public.vector DEFAULT NULL::public.vector, hyde_vector public.vector DEFAULT NULL::public.vector, min_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, max_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, as_of timestamp with time zone DEFAULT NULL::timestamp with time zone, include_archived boolean DEFAULT NULL::boolean, fusion text DEFAULT NULL::text, candidates integer DEFAULT NULL::integer, min_score double precision DEFAULT NULL::double precision, correct_typos boolean DEFAULT NULL::boolean, max_distance integer DEFAULT NULL::integer, rerank text DEFAULT NULL::text, rerank_candidates integer DEFAULT NULL::integer, rerank_optional boolean DEFAULT NULL::boolean, min_relevance double precision DEFAULT NULL::double precision, gate double precision DEFAULT NULL::double precision, mmr_lambda double precision DEFAULT NULL::double precision, collapse boolean DEFAULT true, max_per_document integer DEFAULT NULL::integer, expand text DEFAULT NULL::text, template text DEFAULT NULL::text, source_template text DEFAULT NULL::text, abstain text DEFAULT NULL::text, model text DEFAULT NULL::text, token text DEFAULT NULL::text) RETURNS rag.context_result
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.context(c.who, c.ticket, context.token, rag_internal.search_request(query => context.query, collections => context.collections, top_k => context.top_k, strategy => context.strategy, filter => context.filter, filter_path => context.filter_path, vars => context.vars, weights => context.weights, rrf_k => context.rrf_k, allow_degraded => context.allow_degraded, query_vector => context.query_vector, hyde_vector => context.hyde_vector, min_updated_at => context.min_updated_at, max_updated_at => context.max_updated_at, as_of => context.as_of, include_archived => context.include_archived, fusion => context.fusion, candidates => context.candidates, min_score => context.min_score, correct_typos => context.correct_typos, max_distance => context.max_distance, rerank => context.rerank, rerank_candidates => context.rerank_candidates, rerank_optional => context.rerank_optional, min_relevance => context.min_relevance, gate => context.gate, mmr_lambda => context.mmr_lambda, collapse => context.collapse, max_per_document => context.max_per_document, expand => context.expand, highlight => false), context.max_tokens, ARRAY[context.template, context.source_template, context.abstain], context.model) AS context
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.context(query text, max_tokens integer, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, template text, source_template text, abstain text, model text, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.context(query text, max_tokens integer, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, template text, source_template text, abstain text, model text, token text) IS 'The best of the top_k passages that rag.search finds with the same arguments, as many as fit, as sources with numbers; none twice, overlapping ones as one, each as a whole. status: found; no match, abstained or nothing visible, as rag.search_status says; no room, where none fits: then context is the text of abstain. template: {sources} and {question} are replaced in it; source_template: {number}, {source}, {title}, {place} (lines or page), {about} (title and place), {collection}, {version}, {heading}, {citation}, {content}. model: whose tokenizer counts; null: that of the collection. tokens are estimated, and degraded says so, where it is not on the server. sources: for each number what it stands for, with the citations of its passages, see rag.resolve_citation. A template without {sources}, and max_tokens that hold no more than the text around them, are 22023.';

CREATE FUNCTION rag_internal.correct_query(who name, ticket bytea, query text, collections text[], token text) RETURNS SETOF rag.correction
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket, token);
    _redacted bigint[] := rag_internal.redacted_collections(_identity);
    _scope rag_internal.scope := rag_internal.lexical_scope(_identity, collections);
begin
    if _redacted <> '{}' then
        -- words of texts that the caller gets redacted only would be shown here
        _scope.collection_ids := array(
            select k.collection_id
            from rag_internal.visible_collections(_identity, collections) k
            where k.collection_id <> all (_redacted)
              and (_scope.collection_ids is null
                   or k.collection_id = any (_scope.collection_ids)));
    end if;
    perform rag_internal.check_query(correct_query.query);
    return query select c.* from rag_internal.correct_words(correct_query.query, _scope) c;
end
$$;

ALTER FUNCTION rag_internal.correct_query(who name, ticket bytea, query text, collections text[], token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.correct_query(who name, ticket bytea, query text, collections text[], token text) IS 'See rag.correct_query.';

CREATE FUNCTION rag.correct_query(query text, collections text[] DEFAULT NULL::text[], token text DEFAULT NULL::text) RETURNS SETOF rag.correction
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT t.original,
     t.corrected,
     t.distance
    FROM rag_internal.caller c,
     LATERAL rag_internal.correct_query(c.who, c.ticket, correct_query.query, correct_query.collections, correct_query.token) t(original, corrected, distance);
END;

ALTER FUNCTION rag.correct_query(query text, collections text[], token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.correct_query(query text, collections text[], token text) IS 'A row per word of the query, in the order of writing: as typed, as corrected, and the distance (0: it stays). Only words of passages that the caller can see in the collections (null: all) that it does not get redacted are corrections; quoted and excluded words, and words with digits, stay.';

CREATE FUNCTION rag.cosine_similarity(a public.vector, b public.vector) RETURNS double precision
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _longer double precision := greatest("public".vector_norm(a),
                                         "public".vector_norm(b));
    _shorter double precision := least("public".vector_norm(a),
                                       "public".vector_norm(b));
begin
    if "public".vector_dims(a) <> "public".vector_dims(b) then
        raise exception using
            errcode = '22023',
            message = format('the vectors have %s and %s dimensions',
                             "public".vector_dims(a), "public".vector_dims(b)),
            hint    = 'Compare vectors of one model.';
    end if;
    if _shorter = 0 then
        return 0;
    elsif _shorter < 1e-15 or _longer > 1e15 then
        -- squares would leave the range of a float
        a := "public".l2_normalize(a);
        b := "public".l2_normalize(b);
    end if;
    return greatest(-1, least(1, 1 - (a operator("public".<=>) b)));
end
$$;

ALTER FUNCTION rag.cosine_similarity(a public.vector, b public.vector) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.cosine_similarity(a public.vector, b public.vector) IS 'Cosine of the angle between two vectors, -1 to 1; 0 where one has length zero. Different dimensions are 22023.';

CREATE FUNCTION rag_internal.count_matches(who name, ticket bytea, token text, request rag_internal.search_request) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket, token);
    _request rag_internal.search_request := request;
    _scope rag_internal.scope;
    _legs record;
begin
    perform rag_internal.check_search(_request);
    _scope := rag_internal.search_scope(_identity, _request);
    _request := rag_internal.completed_request(_request, _scope);
    _legs := rag_internal.run_legs(_request, _request.query, _scope, 9223372036854775807);
    return (
        select count(*)
        from (select distinct h.document_id, h.chunk_index from unnest(_legs.hits) h) s);
end
$$;

ALTER FUNCTION rag_internal.count_matches(who name, ticket bytea, token text, request rag_internal.search_request) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.count_matches(who name, ticket bytea, token text, request rag_internal.search_request) IS 'See rag.count_matches.';

CREATE FUNCTION rag.count_matches(query text, collections text[] DEFAULT NULL::text[], strategy text DEFAULT 'bm25'::text, filter jsonb DEFAULT NULL::jsonb, filter_path jsonpath DEFAULT NULL::jsonpath, vars jsonb DEFAULT NULL::jsonb, min_score double precision DEFAULT NULL::double precision, min_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, max_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, as_of timestamp with time zone DEFAULT NULL::timestamp with time zone, include_archived boolean DEFAULT NULL::boolean, query_vector public.vector DEFAULT NULL::public.vector, token text DEFAULT NULL::text) RETURNS bigint
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT rag_internal.count_matches(c.who, c.ticket, count_matches.token, rag_internal.search_request(query => count_matches.query, collections => count_matches.collections, strategy => count_matches.strategy, filter => count_matches.filter, filter_path => count_matches.filter_path, vars => count_matches.vars, min_score => count_matches.min_score, min_updated_at => count_matches.min_updated_at, max_updated_at => count_matches.max_updated_at, as_of => count_matches.as_of, include_archived => count_matches.include_archived, query_vector => count_matches.query_vector)) AS count_matches
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.count_matches(query text, collections text[], strategy text, filter jsonb, filter_path jsonpath, vars jsonb, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, query_vector public.vector, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.count_matches(query text, collections text[], strategy text, filter jsonb, filter_path jsonpath, vars jsonb, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, query_vector public.vector, token text) IS 'Passages that rag.search with these arguments finds, whatever the page: bm25, those with a word of the query; fuzzy, those with a word like one; semantic, all with a vector, so give min_score; hybrid, those that any leg finds. Counted over what the caller can see. Arguments as in rag.search.';

CREATE FUNCTION rag_internal.make_collection(who name, ticket bytea, name text, description text, readers text[], strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer, security_level integer, tenant text) RETURNS rag.collection_info
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _info rag.collection_info;
begin
    perform rag_internal.create_collection(
        _identity, make_collection.name, make_collection.description, make_collection.readers,
        make_collection.strategy, make_collection.chunk_size, make_collection.overlap,
        make_collection.min_chunk_size, make_collection.model,
        coalesce(make_collection.text_config, 'english'),
        coalesce(make_collection.search_defaults, '{}'), make_collection.min_value,
        make_collection.title_weight, make_collection.heading_weight,
        make_collection.security_level, make_collection.tenant);
    _identity := rag_internal.authenticate(who, ticket);  -- its owner may be a principal only now
    select i.* into _info
    from rag_internal.collection_info(_identity, array[
        format('%s%s/%s', nullif(coalesce(make_collection.tenant, _identity.tenant), '') || '/',
               _identity.reader, make_collection.name)]) i;
    return _info;
end
$$;

ALTER FUNCTION rag_internal.make_collection(who name, ticket bytea, name text, description text, readers text[], strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer, security_level integer, tenant text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.make_collection(who name, ticket bytea, name text, description text, readers text[], strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer, security_level integer, tenant text) IS 'See rag.create_collection.';

CREATE FUNCTION rag.create_collection(name text, description text DEFAULT NULL::text, readers text[] DEFAULT '{}'::text[], strategy text DEFAULT 'word'::text, chunk_size integer DEFAULT NULL::integer, overlap integer DEFAULT NULL::integer, min_chunk_size integer DEFAULT NULL::integer, model text DEFAULT NULL::text, text_config text DEFAULT 'english'::text, search_defaults jsonb DEFAULT '{}'::jsonb, min_value real DEFAULT NULL::real, title_weight integer DEFAULT NULL::integer, heading_weight integer DEFAULT NULL::integer, security_level integer DEFAULT NULL::integer, tenant text DEFAULT NULL::text) RETURNS rag.collection_info
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.make_collection(c.who, c.ticket, create_collection.name, create_collection.description, create_collection.readers, create_collection.strategy, create_collection.chunk_size, create_collection.overlap, create_collection.min_chunk_size, create_collection.model, create_collection.text_config, create_collection.search_defaults, create_collection.min_value, create_collection.title_weight, create_collection.heading_weight, create_collection.security_level, create_collection.tenant) AS make_collection
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.create_collection(name text, description text, readers text[], strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer, security_level integer, tenant text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.create_collection(name text, description text, readers text[], strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer, security_level integer, tenant text) IS 'Makes a collection that the caller owns and reads; readers are the further default readers of its documents. strategy and sizes as in rag.chunk_text, null the strategy''s own. Passages whose value is below min_value are stored, but get no vector. model null: the default model; none: no vectors. title_weight (null: 2), heading_weight (null: 1): how often the title and the heading path count in each passage for BM25, 0 to 10. security_level (null: 0): the clearance that readers need. tenant: only rag_admin may name another than its own. 42710 where the caller owns one of that name, 22023 for a bad setting.';

CREATE FUNCTION rag_internal.decompose_query(who name, ticket bytea, query text) RETURNS SETOF rag.query_part
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
begin
    perform rag_internal.authenticate(who, ticket);
    perform rag_internal.check_query(decompose_query.query);
    return query select p.* from rag_internal.parts_of(decompose_query.query) p;
end
$$;

ALTER FUNCTION rag_internal.decompose_query(who name, ticket bytea, query text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.decompose_query(who name, ticket bytea, query text) IS 'See rag.decompose_query.';

CREATE FUNCTION rag.decompose_query(query text) RETURNS SETOF rag.query_part
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT p.part,
     p.query,
     p.strategy,
     p.excluded,
     p.min_updated_at,
     p.max_updated_at,
     p.reason
    FROM rag_internal.caller c,
     LATERAL rag_internal.decompose_query(c.who, c.ticket, decompose_query.query) p(part, query, strategy, excluded, min_updated_at, max_updated_at, reason);
END;

ALTER FUNCTION rag.decompose_query(query text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.decompose_query(query text) IS 'The parts of a question in English, cut at "and", "then", "also", ? and ; where both sides stand by themselves. query: what to search for, with -exclusions made of not, without, except and excluding; excluded: the same as a list. strategy: bm25 for names, codes and quotes, fuzzy for an odd spelling, else hybrid. min_updated_at, max_updated_at: of since, after, before, until and a date, in the time zone of the session. reason: what was seen in it.';

CREATE FUNCTION rag_internal.delete_document(who name, ticket bytea, document_id uuid) RETURNS SETOF rag.removal
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    perform rag_internal.owned_document(_identity, delete_document.document_id, false,
                                        or_write => true);
    return query
        select r.* from rag_internal.delete_documents(
            _identity, array[delete_document.document_id]) r;
end
$$;

ALTER FUNCTION rag_internal.delete_document(who name, ticket bytea, document_id uuid) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.delete_document(who name, ticket bytea, document_id uuid) IS 'See rag.delete_document.';

CREATE FUNCTION rag.delete_document(document_id uuid) RETURNS SETOF rag.removal
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT r.kind,
     r.document_id,
     r.collection,
     r.source,
     r.version,
     r.passages,
     r.vectors,
     r.entries
    FROM rag_internal.caller c,
     LATERAL rag_internal.delete_document(c.who, c.ticket, delete_document.document_id) r(kind, document_id, collection, source, version, passages, vectors, entries);
END;

ALTER FUNCTION rag.delete_document(document_id uuid) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.delete_document(document_id uuid) IS 'Removes a document with its passages and vectors. No search finds it any more; its words leave the lexical index with the next merge, or rag.scrub(). P0002 where the caller sees none, 42501 where it may only read it.';

CREATE FUNCTION rag_internal.delete_source(who name, ticket bytea, collection text, source text) RETURNS SETOF rag.removal
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection rag_internal.collection := rag_internal.own_collection(
        _identity, delete_source.collection, false, true);
    _document_ids uuid[];
begin
    _document_ids := array(
        select d.document_id
        from rag_internal.document d
        where d.collection_id = _collection.collection_id and d.source = delete_source.source
          and d.acl_id in (select rag_internal.visible_acls(_identity))
        order by d.document_id
        for update);
    if _document_ids = '{}' then
        raise exception using
            errcode = 'P0002',
            message = format('collection "%s" has no document "%s" that you can see',
                             _collection.name, coalesce(delete_source.source, 'null')),
            hint    = 'select source from rag.document shows those that there are.';
    end if;
    return query select r.* from rag_internal.delete_documents(_identity, _document_ids) r;
end
$$;

ALTER FUNCTION rag_internal.delete_source(who name, ticket bytea, collection text, source text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.delete_source(who name, ticket bytea, collection text, source text) IS 'See rag.delete_source.';

CREATE FUNCTION rag.delete_source(collection text, source text) RETURNS SETOF rag.removal
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT r.kind,
     r.document_id,
     r.collection,
     r.source,
     r.version,
     r.passages,
     r.vectors,
     r.entries
    FROM rag_internal.caller c,
     LATERAL rag_internal.delete_source(c.who, c.ticket, delete_source.collection, delete_source.source) r(kind, document_id, collection, source, version, passages, vectors, entries);
END;

ALTER FUNCTION rag.delete_source(collection text, source text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.delete_source(collection text, source text) IS 'Removes the documents of a source, all its versions that the caller can read, as rag.delete_document does; a row for each. P0002 where there is none.';

CREATE FUNCTION rag_internal.describe_collections(who name, ticket bytea, names text[]) RETURNS SETOF rag.collection_info
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
    select i.* from rag_internal.collection_info(rag_internal.authenticate(who, ticket), names) i
$$;

ALTER FUNCTION rag_internal.describe_collections(who name, ticket bytea, names text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.describe_collections(who name, ticket bytea, names text[]) IS 'See rag.list_collections and rag.describe_collection.';

CREATE FUNCTION rag.describe_collection(name text) RETURNS SETOF rag.collection_info
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT i.name,
     i.owner,
     i.description,
     i.readers,
     i.strategy,
     i.chunk_size,
     i.overlap,
     i.min_chunk_size,
     i.model,
     i.text_config,
     i.search_defaults,
     i.documents,
     i.chunks,
     i.characters,
     i.created_at,
     i.updated_at,
     i.min_value,
     i.title_weight,
     i.heading_weight,
     i.tenant,
     i.security_level,
     i.writers
    FROM rag_internal.caller c,
     LATERAL rag_internal.describe_collections(c.who, c.ticket, ARRAY[describe_collection.name]) i(name, owner, description, readers, strategy, chunk_size, overlap, min_chunk_size, model, text_config, search_defaults, documents, chunks, characters, created_at, updated_at, min_value, title_weight, heading_weight, tenant, security_level, writers);
END;

ALTER FUNCTION rag.describe_collection(name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.describe_collection(name text) IS 'The row of rag.list_collections() for one name; P0002 where the caller sees none.';

CREATE FUNCTION rag_internal.detect_document_type(who name, ticket bytea, content text, source text, mime text) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
begin
    perform rag_internal.authenticate(who, ticket);
    perform rag_internal.require_visible_text('content', detect_document_type.content);
    return rag_internal.document_type(detect_document_type.content, detect_document_type.source,
                                      detect_document_type.mime);
end
$$;

ALTER FUNCTION rag_internal.detect_document_type(who name, ticket bytea, content text, source text, mime text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.detect_document_type(who name, ticket bytea, content text, source text, mime text) IS 'See rag.detect_document_type.';

CREATE FUNCTION rag.detect_document_type(content text, source text DEFAULT NULL::text, mime text DEFAULT NULL::text) RETURNS text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT rag_internal.detect_document_type(c.who, c.ticket, detect_document_type.content, detect_document_type.source, detect_document_type.mime) AS detect_document_type
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.detect_document_type(content text, source text, mime text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.detect_document_type(content text, source text, mime text) IS 'code, prose, markdown or structured (JSON, YAML): by the ending of source, then a telling media type, then the text itself. Blank content is 22023.';

CREATE FUNCTION rag.disallow_source(collection text, tenant text DEFAULT ''::text) RETURNS boolean
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.disallow_source(c.who, c.ticket, disallow_source.collection, disallow_source.tenant, false) AS disallow_source
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.disallow_source(collection text, tenant text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.disallow_source(collection text, tenant text) IS 'rag_admin only; whether it was allowed. The tenant stays restricted, also when nothing is left that it may search.';

CREATE FUNCTION rag_internal.doctor(who name, ticket bytea) RETURNS SETOF rag.check_result
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _major integer := current_setting('server_version_num')::integer / 10000;
    _engine jsonb;
begin
    return next row('server', case when _major between 15 and 18 then 'ok' else 'fail' end,
                    'PostgreSQL ' || current_setting('server_version'),
                    case when _major not between 15 and 18
                         then 'Use PostgreSQL 15 to 18.' end)::rag.check_result;
    return query
        select 'extension ' || x.name, case when e.oid is null then 'fail' else 'ok' end,
               coalesce(e.extname || ' ' || e.extversion || ' in schema ' || n.nspname,
                        'not created'),
               case when e.oid is null
                    then format('As a superuser: create extension %I;', x.name) end
        from unnest(array['plpython3u', 'vector', 'pg_trgm']) x (name)
        left join pg_extension e on e.extname = x.name
        left join pg_namespace n on n.oid = e.extnamespace;
    return query
        select 'migrations', 'ok', 'revision ' || string_agg(v.version_num, ', '), null
        from rag_internal.alembic_version v;
    begin
        _engine := rag_internal.engine_info();
        return next row('engine', 'ok',
                        case when _identity.sees_everything
                             then format('Python %s (%s), ragsql_engine in %s, fastembed %s, '
                                         'numpy %s',
                                         _engine ->> 'version', _engine ->> 'executable',
                                         _engine ->> 'engine_path', _engine ->> 'fastembed',
                                         _engine ->> 'numpy')
                             else format('Python %s', _engine ->> 'version') end,
                        null)::rag.check_result;
        return query select * from rag_internal.diagnose_models(_identity);
        return query select * from rag_internal.diagnose_rerankers(_identity);
    exception when object_not_in_prerequisite_state then
        return next row('engine', 'fail',
                        case when _identity.sees_everything
                             -- without the names of Python's classes
                             then regexp_replace(sqlerrm, '^([\w.]+: )+', '')
                             else 'cannot be loaded' end,
                        'Install ragsql with the Python that plpython3u links and set python_path '
                        'in rag_internal.setting, then reconnect.')::rag.check_result;
    end;
    if not exists (select from rag_internal.model m where m.is_default) then
        return next row('default model', 'fail', 'no model is registered as the default',
                        'Run `ragsql up`, or rag.add_model(..., options => '
                        '''{"is_default": true}'').')::rag.check_result;
    end if;
    return query
        select 'lexical index',
               case when count(*) filter (where s.outdated) > 0 then 'fail' else 'ok' end,
               case when count(*) filter (where s.outdated) > 0
                    then format('the analyzer or its stemmers changed since these collections '
                                'were indexed: %s',
                                string_agg(s.name, ', ') filter (where s.outdated))
                    else 'collections are indexed by the analyzer that questions are read by'
               end,
               case when count(*) filter (where s.outdated) > 0
                    then 'select rag.rebuild_index(''NAME'') for each.'
               end
        from (select k.name,
                     k.analyzed_as is distinct from
                     rag_internal.analyzer_stamp(k.text_config) as outdated
              from rag_internal.visible_collections(_identity, null) k) s;
    if _identity.sees_everything then
        return query
            select 'upkeep', case when p.passages > 20000 then 'warn' else 'ok' end,
                   format('%s passages wait to be built into the lexical index', p.passages),
                   case when p.passages > 20000
                        then 'call rag.maintain(): searches read all that waits.' end
            from (select coalesce(sum(w.passages), 0) as passages
                  from rag_internal.pending w) p;
    end if;
    return query
        select 'locale', case when d.datctype in ('C', 'POSIX') then 'warn' else 'ok' end,
               format('lc_ctype %s, encoding %s', d.datctype, pg_encoding_to_char(d.encoding)),
               case when d.datctype in ('C', 'POSIX')
                    then 'Words beyond ASCII get no trigrams here: make the database with '
                         'lc_ctype C.UTF-8 or a language''s.'
               end
        from pg_database d
        where d.datname = current_database();
    return next row('access rules', case when _identity.sees_everything then 'warn' else 'ok' end,
                    format('you are %s, %s',
                           case when _identity.source = 'database role' then _identity.who
                                else coalesce(_identity.reader, 'nobody') end,
                           case when _identity.sees_everything then 'which bypasses access rules'
                                when _identity.source = 'nobody' then _identity.why
                                else 'to whom access rules apply' end),
                    case when _identity.sees_everything
                         then 'Let applications connect as a role that has rag_reader and nothing '
                              'more.'
                    end)::rag.check_result;
    if _identity.sees_everything and exists (select from rag_internal.identity_key) then
        return query
            select 'identity keys',
                   case when count(*) filter (where k.is_valid) = 0
                             or bool_or(k.is_valid and k.not_after < now() + interval '14 days')
                        then 'warn' else 'ok' end,
                   format('%s of %s can verify tokens now; the next one ends %s',
                          count(*) filter (where k.is_valid), count(*),
                          coalesce(min(k.not_after) filter (where k.is_valid)::text, 'never')),
                   'rag.add_identity_key(...) adds one: tokens name theirs, so two can overlap.'
            from (select i.not_after,
                         now() >= coalesce(i.not_before, '-infinity')
                         and now() < coalesce(i.not_after, 'infinity') as is_valid
                  from rag_internal.identity_key i) k;
    end if;
    if _identity.sees_everything then
        return query
            select 'principals', case when count(*) = 0 then 'ok' else 'warn' end,
                   case when count(*) = 0 then 'every granted role exists'
                        else format('roles with grants or collections that no longer exist under '
                                    'their name and oid: %s',
                                    string_agg(distinct p.name, ', ')) end,
                   case when count(*) > 0
                        then 'Nobody reads through them. Restored into another cluster, and the '
                             'same people have the names: select rag.adopt_role(...) for each. '
                             'Else revoke what they had: rag.revoke_read(...).' end
            from rag_internal.principal p
            where p.kind = 'role'
              and not exists (select from pg_roles r
                              where r.oid = p.role_oid and r.rolname = p.name);
    end if;
end
$$;

ALTER FUNCTION rag_internal.doctor(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.doctor(who name, ticket bytea) IS 'See rag.doctor.';

CREATE FUNCTION rag.doctor() RETURNS SETOF rag.check_result
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT d.name,
     d.status,
     d.detail,
     d.next_step
    FROM rag_internal.caller c,
     LATERAL rag_internal.doctor(c.who, c.ticket) d(name, status, detail, next_step);
END;

ALTER FUNCTION rag.doctor() OWNER TO rag_owner;

COMMENT ON FUNCTION rag.doctor() IS 'A row per finding (ok, warn or fail) with the next step: server, extensions, engine, models, locale, and whether access rules apply to the caller. Paths of the server are shown to rag_admin alone.';

CREATE FUNCTION rag_internal.drop_collection(who name, ticket bytea, name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _collection rag_internal.collection := rag_internal.own_collection(
        rag_internal.authenticate(who, ticket), drop_collection.name, true);
begin
    delete from rag_internal.collection k where k.collection_id = _collection.collection_id;
    delete from rag_internal.acl a where a.acl_id = _collection.acl_id;
end
$$;

ALTER FUNCTION rag_internal.drop_collection(who name, ticket bytea, name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.drop_collection(who name, ticket bytea, name text) IS 'See rag.drop_collection.';

CREATE FUNCTION rag.drop_collection(name text) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.drop_collection(c.who, c.ticket, drop_collection.name) AS drop_collection
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.drop_collection(name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.drop_collection(name text) IS 'Removes a collection, its documents, passages and vectors. P0002 where the caller sees none, 42501 where it is another''s.';

CREATE FUNCTION rag_internal.drop_dataset(who name, ticket bytea, name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _dataset rag_internal.dataset := rag_internal.own_dataset(
        rag_internal.authenticate(who, ticket), drop_dataset.name);
begin
    delete from rag_internal.dataset d where d.dataset_id = _dataset.dataset_id;
end
$$;

ALTER FUNCTION rag_internal.drop_dataset(who name, ticket bytea, name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.drop_dataset(who name, ticket bytea, name text) IS 'See rag.drop_dataset.';

CREATE FUNCTION rag.drop_dataset(name text) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.drop_dataset(c.who, c.ticket, drop_dataset.name) AS drop_dataset
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.drop_dataset(name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.drop_dataset(name text) IS 'Removes a dataset and what evaluations by it found. P0002 where the caller has none.';

CREATE FUNCTION rag_internal.drop_identity_key(who name, ticket bytea, kid text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
begin
    if not (rag_internal.authenticate(who, ticket)).sees_everything then
        raise exception using
            errcode = '42501',
            message = 'only rag_admin may remove keys that prove who asks',
            hint    = 'Ask an administrator.';
    end if;
    delete from rag_internal.identity_key i where i.kid = drop_identity_key.kid;
    if not found then
        raise exception using
            errcode = 'P0002',
            message = format('there is no key "%s"', left(drop_identity_key.kid, 200)),
            hint    = 'rag.list_identity_keys() shows the keys there are.';
    end if;
end
$$;

ALTER FUNCTION rag_internal.drop_identity_key(who name, ticket bytea, kid text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.drop_identity_key(who name, ticket bytea, kid text) IS 'See rag.drop_identity_key.';

CREATE FUNCTION rag.drop_identity_key(kid text) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.drop_identity_key(c.who, c.ticket, drop_identity_key.kid) AS drop_identity_key
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.drop_identity_key(kid text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.drop_identity_key(kid text) IS 'Removes a key (rag_admin only): tokens signed with it are refused from the next statement on, in all sessions. P0002 where there is none.';

CREATE FUNCTION rag_internal.drop_model(who name, ticket bytea, name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    SET lock_timeout TO '5s'
    AS $$
declare
    _model rag_internal.model;
    _collections text;
begin
    if not (rag_internal.authenticate(who, ticket)).sees_everything then
        raise exception using
            errcode = '42501',
            message = 'only rag_admin may remove a model',
            hint    = 'Ask an administrator.';
    end if;
    perform rag_internal.require_visible_text('name', drop_model.name);
    lock table rag_internal.model in share row exclusive mode;
    _model := rag_internal.find_model(drop_model.name);
    -- a collection that is made meanwhile waits for this row, and then misses it
    perform from rag_internal.model m where m.model_id = _model.model_id for update;
    select string_agg(k.name, ', ' order by k.name) into _collections
    from rag_internal.collection k
    where k.model_id = _model.model_id
       or exists (select from rag_internal.collection_model c
                  where c.collection_id = k.collection_id and c.model_id = _model.model_id);
    if _collections is not null then
        raise exception using
            errcode = '55000',
            message = format('model "%s" is used or kept by %s', _model.name, _collections),
            hint    = 'rag.set_model gives a collection another model, rag.release_model drops '
                      'the vectors that it keeps beside its own.';
    end if;
    delete from rag_internal.embedding_task t where t.model_id = _model.model_id;
    execute format('drop table rag_internal.%I', format('embedding_%s', _model.model_id));
    delete from rag_internal.model m where m.model_id = _model.model_id;
end
$$;

ALTER FUNCTION rag_internal.drop_model(who name, ticket bytea, name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.drop_model(who name, ticket bytea, name text) IS 'See rag.drop_model.';

CREATE FUNCTION rag.drop_model(name text) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.drop_model(c.who, c.ticket, drop_model.name) AS drop_model
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.drop_model(name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.drop_model(name text) IS 'Removes a registered model (rag_admin only) with its index; P0002 where there is none, 55000 while a collection uses it or keeps its vectors.';

CREATE FUNCTION rag_internal.drop_redaction_rule(who name, ticket bytea, collection text, name text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _collection rag_internal.collection := rag_internal.own_collection(
        rag_internal.authenticate(who, ticket), drop_redaction_rule.collection, true);
begin
    delete from rag_internal.redaction_rule r
    where r.collection_id = _collection.collection_id and r.name = drop_redaction_rule.name;
    return found;
end
$$;

ALTER FUNCTION rag_internal.drop_redaction_rule(who name, ticket bytea, collection text, name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.drop_redaction_rule(who name, ticket bytea, collection text, name text) IS 'See rag.drop_redaction_rule.';

CREATE FUNCTION rag.drop_redaction_rule(collection text, name text) RETURNS boolean
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.drop_redaction_rule(c.who, c.ticket, drop_redaction_rule.collection, drop_redaction_rule.name) AS drop_redaction_rule
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.drop_redaction_rule(collection text, name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.drop_redaction_rule(collection text, name text) IS 'Ends a rule of rag.add_redaction_rule; whether there was one. For the owner of the collection and rag_admin.';

CREATE FUNCTION rag_internal.drop_reranker(who name, ticket bytea, name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    SET lock_timeout TO '5s'
    AS $$
begin
    perform rag_internal.require_admin(rag_internal.authenticate(who, ticket),
                                       'remove a reranker');
    perform rag_internal.require_visible_text('name', drop_reranker.name);
    delete from rag_internal.reranker r where r.name = drop_reranker.name;
    if not found then
        raise exception using
            errcode = 'P0002',
            message = format('no reranker is named "%s"', drop_reranker.name),
            hint    = 'Registered ones are in rag.reranker.';
    end if;
end
$$;

ALTER FUNCTION rag_internal.drop_reranker(who name, ticket bytea, name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.drop_reranker(who name, ticket bytea, name text) IS 'See rag.drop_reranker.';

CREATE FUNCTION rag.drop_reranker(name text) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.drop_reranker(c.who, c.ticket, drop_reranker.name) AS drop_reranker
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.drop_reranker(name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.drop_reranker(name text) IS 'Removes a registered reranker (rag_admin only); P0002 where there is none. Searches that name it fail from then on, or go without it where they allow that.';

CREATE FUNCTION rag_internal.embed(who name, ticket bytea, texts text[], model text, kind text) RETURNS public.vector[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    if embed.kind is null or embed.kind not in ('query', 'passage') then
        raise exception using
            errcode = '22023',
            message = format('unknown kind "%s"', embed.kind),
            hint    = 'Texts are embedded as query or as passage.';
    end if;
    if array_ndims(embed.texts) > 1 then
        raise exception using
            errcode = '22023',
            message = 'texts has more than one dimension',
            hint    = 'Give a plain list: array[''one'', ''two''].';
    end if;
    return rag_internal.embed_texts(embed.texts, embed.kind,
                                    rag_internal.find_model(embed.model, _identity));
end
$$;

ALTER FUNCTION rag_internal.embed(who name, ticket bytea, texts text[], model text, kind text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.embed(who name, ticket bytea, texts text[], model text, kind text) IS 'See rag.embed.';

CREATE FUNCTION rag.embed(texts text[], model text DEFAULT NULL::text, kind text DEFAULT 'passage'::text) RETURNS public.vector[]
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT rag_internal.embed(c.who, c.ticket, embed.texts, embed.model, embed.kind) AS embed
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.embed(texts text[], model text, kind text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.embed(texts text[], model text, kind text) IS 'One unit vector per text, in order. model null: the default. kind: query or passage (models prefix them differently). A text beyond the window is the average of its windows, or 54000 where long_input of the model is error. A blank text is 22023, a text that the provider refuses 22000, a provider that cannot be used 55000.';

CREATE FUNCTION rag_internal.embed_claimed(who name, ticket bytea, claim_id uuid) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _model rag_internal.model;
    _chunk_ids bigint[];
    _contents text[];
    _job_ids bigint[];
    _outcomes rag_internal.embedded_text[] := '{}';
    _finished integer;
begin
    perform rag_internal.require_read_committed('rag.embed_claimed');
    select m.* into _model
    from rag_internal.model m
    where m.model_id = (select t.model_id from rag_internal.embedding_task t
                        where t.claim_id = embed_claimed.claim_id limit 1);
    if not found then
        return 0;
    end if;
    select array_agg(c.chunk_id order by c.chunk_id) filter (where j.status <> 'cancelled'),
           array_agg(coalesce(c.embed_text, c.content) order by c.chunk_id)
               filter (where j.status <> 'cancelled'),
           array_agg(distinct t.job_id)
    into _chunk_ids, _contents, _job_ids
    from rag_internal.embedding_task t
    join rag_internal.job j using (job_id)
    join rag_internal.chunk c using (chunk_id)
    where t.claim_id = embed_claimed.claim_id and rag_internal.owns_job(j, _identity);
    if _chunk_ids is null then
        perform rag_internal.finish_jobs(_job_ids);
        return 0;
    end if;

    _outcomes := array(select o from rag_internal.embed_passages(_contents, _model) o);
    _finished := rag_internal.write_embeddings(_model, _chunk_ids,
                                               _contents, _outcomes);
    perform rag_internal.record_failures(embed_claimed.claim_id, _model, _chunk_ids, _contents,
                                         _outcomes);
    perform rag_internal.finish_jobs(_job_ids);
    return _finished;
end
$$;

ALTER FUNCTION rag_internal.embed_claimed(who name, ticket bytea, claim_id uuid) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.embed_claimed(who name, ticket bytea, claim_id uuid) IS 'See rag.embed_claimed.';

CREATE FUNCTION rag.embed_claimed(claim_id uuid) RETURNS integer
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.embed_claimed(c.who, c.ticket, embed_claimed.claim_id) AS embed_claimed
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.embed_claimed(claim_id uuid) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.embed_claimed(claim_id uuid) IS 'Embeds what rag.claim_job claimed; how many passages got their vector. A text that fails is tried again later, five times in all; where the model cannot be used, nothing is charged and its passages wait.';

CREATE FUNCTION rag_internal.erase_content(who name, ticket bytea, pattern text, kind text, collections text[], dry_run boolean) RETURNS SETOF rag.removal
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection_ids bigint[];
    _ids uuid[];
    _job_ids bigint[];
    _removed rag.removal[];
    _counts bigint[];
begin
    perform rag_internal.check_erasure_pattern(pattern, erase_content.kind);
    if not coalesce(dry_run, false) then
        perform rag_internal.require_read_committed('rag.erase_content');
    end if;
    _collection_ids := rag_internal.erasable_collections(_identity, erase_content.collections);
    _ids := array(select rag_internal.matching_documents(
                      _identity, _collection_ids, pattern, erase_content.kind));
    if coalesce(dry_run, false) then
        _removed := array(select r from rag_internal.removals(_ids) r);
        return query select r.* from unnest(_removed) r;
        return query select r.* from rag_internal.erase_logs(
            _identity, _ids, _removed, pattern, erase_content.kind, true) r;
        return query select r.* from rag_internal.erase_datasets(
            _identity, _removed, pattern, erase_content.kind, true) r;
        return;
    end if;

    perform from rag_internal.collection k
    where k.collection_id in (select d.collection_id from rag_internal.document d
                              where d.document_id = any (_ids))
    order by k.collection_id
    for no key update;
    perform from rag_internal.document d
    where d.document_id = any (_ids)
    order by d.document_id
    for update;
    -- once more: whoever held a lock until now may have changed them
    _ids := array(select rag_internal.matching_documents(
                      _identity,
                      rag_internal.erasable_collections(_identity, erase_content.collections),
                      pattern, erase_content.kind, _ids));
    _job_ids := array(
        select distinct t.job_id
        from rag_internal.embedding_task t join rag_internal.chunk c using (chunk_id)
        where c.document_id = any (_ids) and t.error is not null);
    _removed := array(select r from rag_internal.delete_documents(_identity, _ids) r);
    _counts := array[
        rag_internal.erase_errors(_identity, _job_ids, pattern, erase_content.kind),
        case when _ids <> '{}' then rag_internal.erase_entries(_ids) end,
        case when _ids <> '{}' then rag_internal.prune_words() end];
    return query select r.* from unnest(_removed) r;
    return query select r.* from rag_internal.erase_logs(
        _identity, _ids, _removed, pattern, erase_content.kind, false) r;
    return query select r.* from rag_internal.erase_datasets(
        _identity, _removed, pattern, erase_content.kind, false) r;
    return query
        select n.kind, null::uuid, null::text, null::text, null::text, null::bigint, null::bigint,
               n.entries
        from unnest(array['error', 'posting', 'word'], _counts) n (kind, entries)
        where n.entries > 0
          -- whether a word goes tells whether anybody else has it
          and (n.kind = 'error' or _identity.sees_everything);
end
$$;

ALTER FUNCTION rag_internal.erase_content(who name, ticket bytea, pattern text, kind text, collections text[], dry_run boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.erase_content(who name, ticket bytea, pattern text, kind text, collections text[], dry_run boolean) IS 'See rag.erase_content.';

CREATE FUNCTION rag.erase_content(pattern text, kind text DEFAULT 'like'::text, collections text[] DEFAULT NULL::text[], dry_run boolean DEFAULT false) RETURNS SETOF rag.removal
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT r.kind,
     r.document_id,
     r.collection,
     r.source,
     r.version,
     r.passages,
     r.vectors,
     r.entries
    FROM rag_internal.caller c,
     LATERAL rag_internal.erase_content(c.who, c.ticket, erase_content.pattern, erase_content.kind, erase_content.collections, erase_content.dry_run) r(kind, document_id, collection, source, version, passages, vectors, entries);
END;

ALTER FUNCTION rag.erase_content(pattern text, kind text, collections text[], dry_run boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.erase_content(pattern text, kind text, collections text[], dry_run boolean) IS 'Erases whole documents that match: content, title, source, version, tags, metadata. kind is like or regex; collections null: all that the caller owns. Of these, documents that it can read. dry_run lists them. Once it is committed no SQL reaches them: passages, vectors, postings, words that nothing else has, and what logs and errors say of them are gone, too. Out of the data files they go with rag.scrub(). 22023 for a pattern that means everything.';

CREATE FUNCTION rag_internal.evaluate(who name, ticket bytea, token text, dataset text, strategies text[], settings jsonb, collections text[], top_k integer, save boolean) RETURNS SETOF rag.evaluation
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket, token);
    _dataset rag_internal.dataset := rag_internal.own_dataset(_identity, evaluate.dataset);
    _settings jsonb := coalesce(evaluate.settings, '{}');
    _collections text[] := coalesce(evaluate.collections, _dataset.collections);
    _rules rag_internal.redaction_rule[] := rag_internal.redaction_rules(
        rag_internal.redacted_collections(_identity));
    _has_excerpts boolean := exists (
        select from rag_internal.judgment j
        where j.dataset_id = _dataset.dataset_id and j.start_offset is not null);
    _strategy text;
    _request rag_internal.search_request;
    _stages text[];
    _found rag.evaluation[] := '{}';
    _run_id bigint := rag_internal.new_id();
begin
    foreach _strategy in array coalesce(strategies, '{hybrid, semantic, bm25, fuzzy}') loop
        _strategy := rag_internal.strategy_named(_strategy);
        continue when exists (select from unnest(_found) f where f.strategy = _strategy);
        _request := rag_internal.evaluation_request(_identity, _strategy, _settings, _collections,
                                                    evaluate.top_k, _has_excerpts);
        _stages := rag_internal.evaluation_stages(rag_internal.completed_request(
            _request, rag_internal.search_scope(_identity, _request)));
        _found := _found || array(
            with question as (
                select q
                from rag_internal.dataset_query q
                where q.dataset_id = _dataset.dataset_id
                  and exists (select from rag_internal.judgment j
                              where j.dataset_id = q.dataset_id and j.query_id = q.query_id
                                and j.relevance > 0)
            ), score as materialized (
                select s.*
                from question q,
                     lateral rag_internal.evaluate_query(_identity, q.q, _request, _rules) s
            )
            select row(_strategy, t.stage, n.queries, count(s.stage),
                       case when t.stage <> 'recall' or _strategy <> 'hybrid'
                            then coalesce(sum(s.ndcg_10), 0) / n.queries end,
                       case when t.stage <> 'recall' or _strategy <> 'hybrid'
                            then coalesce(sum(s.mrr_10), 0) / n.queries end,
                       coalesce(sum(s.recall_5), 0) / n.queries,
                       coalesce(sum(s.recall_20), 0) / n.queries,
                       coalesce(sum(s.recall_50), 0) / n.queries,
                       rag_internal.last_evaluation(_identity, _dataset, _strategy, t.stage,
                                                    evaluate.top_k))::rag.evaluation
            from (select count(*) as queries from question) n,
                 unnest(_stages) with ordinality t (stage, number)
            left join score s on s.stage = t.stage
            where n.queries > 0
            group by t.stage, t.number, n.queries
            order by t.number);
    end loop;
    if _found = '{}' then
        raise exception using
            errcode = '22023',
            message = format('dataset "%s" has no query with an answer', _dataset.name),
            hint    = 'Judgments with a relevance above 0 are answers.';
    end if;

    if save and current_setting('transaction_read_only') = 'off' then
        insert into rag_internal.evaluation (
            run_id, strategy, stage, stage_number, dataset_id, evaluated_at, reader, tenant,
            collections, settings, top_k, fingerprint, queries, answered, ndcg_10, mrr_10,
            recall_5, recall_20, recall_50)
        select _run_id, f.strategy, f.stage, f.number, _dataset.dataset_id, clock_timestamp(),
               _identity.reader, _identity.tenant, _collections, _settings, evaluate.top_k,
               _dataset.fingerprint, f.queries, f.answered, f.ndcg_10, f.mrr_10, f.recall_5,
               f.recall_20, f.recall_50
        from (select u.*, row_number() over () as number from unnest(_found) u) f;
    end if;
    return query select f.* from unnest(_found) f;
end
$$;

ALTER FUNCTION rag_internal.evaluate(who name, ticket bytea, token text, dataset text, strategies text[], settings jsonb, collections text[], top_k integer, save boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.evaluate(who name, ticket bytea, token text, dataset text, strategies text[], settings jsonb, collections text[], top_k integer, save boolean) IS 'See rag.evaluate.';

CREATE FUNCTION rag.evaluate(dataset text, strategies text[] DEFAULT NULL::text[], settings jsonb DEFAULT '{}'::jsonb, collections text[] DEFAULT NULL::text[], top_k integer DEFAULT 50, save boolean DEFAULT true, token text DEFAULT NULL::text) RETURNS SETOF rag.evaluation
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT e.strategy,
     e.stage,
     e.queries,
     e.answered,
     e.ndcg_10,
     e.mrr_10,
     e.recall_5,
     e.recall_20,
     e.recall_50,
     e.last
    FROM rag_internal.caller c,
     LATERAL rag_internal.evaluate(c.who, c.ticket, evaluate.token, evaluate.dataset, evaluate.strategies, evaluate.settings, evaluate.collections, evaluate.top_k, evaluate.save) e(strategy, stage, queries, answered, ndcg_10, mrr_10, recall_5, recall_20, recall_50, last);
END;

ALTER FUNCTION rag.evaluate(dataset text, strategies text[], settings jsonb, collections text[], top_k integer, save boolean, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.evaluate(dataset text, strategies text[], settings jsonb, collections text[], top_k integer, save boolean, token text) IS 'Asks the queries of a dataset (rag.add_dataset) as rag.search with top_k would, and measures each stage of each strategy (null: all four): for a hybrid semantic, bm25, fuzzy, recall (their union), fusion; rerank where there is one; result, what a search returns. Means over the queries with an answer: nDCG@10 with gain 2^relevance - 1, MRR@10, recall@5, 20 and 50, a document standing at its best passage. settings: other arguments of rag.search. collections: instead of the dataset''s. save: keep it, for rag.list_evaluations and the next run''s last. Searches are the caller''s own, see what it sees, and are not in rag.search_log.';

CREATE FUNCTION rag_internal.explain_bm25(who name, ticket bytea, query text, document_id uuid, chunk_index integer, collections text[], token text) RETURNS SETOF rag.bm25_term
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _scope rag_internal.scope := rag_internal.lexical_scope(
        rag_internal.authenticate(who, ticket, token), collections);
begin
    perform rag_internal.check_query(explain_bm25.query);
    if explain_bm25.document_id is null or explain_bm25.chunk_index is null then
        raise exception using
            errcode = '22023',
            message = 'document_id or chunk_index is null',
            hint    = 'Give those of a hit of rag.bm25_search.';
    end if;
    return query
        select t.*
        from rag_internal.bm25_terms(explain_bm25.query, _scope, explain_bm25.document_id,
                                     explain_bm25.chunk_index) t;
end
$$;

ALTER FUNCTION rag_internal.explain_bm25(who name, ticket bytea, query text, document_id uuid, chunk_index integer, collections text[], token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.explain_bm25(who name, ticket bytea, query text, document_id uuid, chunk_index integer, collections text[], token text) IS 'See rag.explain_bm25.';

CREATE FUNCTION rag.explain_bm25(query text, document_id uuid, chunk_index integer, collections text[] DEFAULT NULL::text[], token text DEFAULT NULL::text) RETURNS SETOF rag.bm25_term
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT t.term,
     t.tf,
     t.df,
     t.n,
     t.idf,
     t.length,
     t.average_length,
     t.length_factor,
     t.contribution
    FROM rag_internal.caller c,
     LATERAL rag_internal.explain_bm25(c.who, c.ticket, explain_bm25.query, explain_bm25.document_id, explain_bm25.chunk_index, explain_bm25.collections, explain_bm25.token) t(term, tf, df, n, idf, length, average_length, length_factor, contribution);
END;

ALTER FUNCTION rag.explain_bm25(query text, document_id uuid, chunk_index integer, collections text[], token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.explain_bm25(query text, document_id uuid, chunk_index integer, collections text[], token text) IS 'A row per term of the query, in the order in which the contributions add up to bm25_score; tf 0: the passage does not have the term. Statistics are of what the caller can see in the collections (null: all). A passage that is missing or hidden is P0002.';

CREATE FUNCTION rag_internal.explain_search(who name, ticket bytea, token text, request rag_internal.search_request) RETURNS SETOF rag.search_step
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _started timestamptz := clock_timestamp();
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket, token);
    _result rag_internal.retrieval;
begin
    return next rag_internal.search_step(
        'identity', _identity.source,
        format('%s: %s', coalesce(_identity.reader, 'nobody'), _identity.why), null, _started);
    _result := rag_internal.retrieve(_identity, request);
    if _result.is_redacted then
        _result.hits := rag_internal.redact_hits(_identity, _result.hits, _result.collection_ids);
    end if;
    return query select s.* from rag_internal.explain_scope(_result.scope) s;
    return query select s.* from unnest(_result.steps) s;
    return query select h.* from rag_internal.explain_hits(_result) h;
    return next rag_internal.search_step(
        'result', _result.status, null, cardinality(_result.hits), _started);
end
$$;

ALTER FUNCTION rag_internal.explain_search(who name, ticket bytea, token text, request rag_internal.search_request) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.explain_search(who name, ticket bytea, token text, request rag_internal.search_request) IS 'See rag.explain_search.';

CREATE FUNCTION rag.explain_search(query text, collections text[] DEFAULT NULL::text[], top_k integer DEFAULT 10, strategy text DEFAULT NULL::text, filter jsonb DEFAULT NULL::jsonb, filter_path jsonpath DEFAULT NULL::jsonpath, vars jsonb DEFAULT NULL::jsonb, weights jsonb DEFAULT NULL::jsonb, rrf_k integer DEFAULT NULL::integer, skip integer DEFAULT 0, allow_degraded boolean DEFAULT false, query_vector public.vector DEFAULT NULL::public.vector, hyde_vector public.vector DEFAULT NULL::public.vector, min_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, max_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, as_of timestamp with time zone DEFAULT NULL::timestamp with time zone, include_archived boolean DEFAULT NULL::boolean, fusion text DEFAULT NULL::text, candidates integer DEFAULT NULL::integer, min_score double precision DEFAULT NULL::double precision, correct_typos boolean DEFAULT NULL::boolean, max_distance integer DEFAULT NULL::integer, rerank text DEFAULT NULL::text, rerank_candidates integer DEFAULT NULL::integer, rerank_optional boolean DEFAULT NULL::boolean, min_relevance double precision DEFAULT NULL::double precision, gate double precision DEFAULT NULL::double precision, mmr_lambda double precision DEFAULT NULL::double precision, collapse boolean DEFAULT NULL::boolean, max_per_document integer DEFAULT NULL::integer, expand text DEFAULT NULL::text, highlight boolean DEFAULT NULL::boolean, token text DEFAULT NULL::text) RETURNS SETOF rag.search_step
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT s.step,
     s.route,
     s.why,
     s.passages,
     s.milliseconds,
     s.rank,
     s.score,
     s.share,
     s.document_id,
     s.chunk_index,
     s.detail
    FROM rag_internal.caller c,
     LATERAL rag_internal.explain_search(c.who, c.ticket, explain_search.token, rag_internal.search_request(explain_search.query, explain_search.collections, explain_search.top_k, explain_search.strategy, explain_search.filter, explain_search.filter_path, explain_search.vars, explain_search.weights, explain_search.rrf_k, explain_search.skip, explain_search.allow_degraded, explain_search.query_vector, explain_search.hyde_vector, explain_search.min_updated_at, explain_search.max_updated_at, explain_search.as_of, explain_search.include_archived, explain_search.fusion, explain_search.candidates, explain_search.min_score, explain_search.correct_typos, explain_search.max_distance, explain_search.rerank, explain_search.rerank_candidates, explain_search.rerank_optional, explain_search.min_relevance, explain_search.gate, explain_search.mmr_lambda, explain_search.collapse, explain_search.max_per_document, explain_search.expand, explain_search.highlight)) s(step, route, why, passages, milliseconds, rank, score, share, document_id, chunk_index, detail);
END;

ALTER FUNCTION rag.explain_search(query text, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, skip integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, highlight boolean, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.explain_search(query text, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, skip integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, highlight boolean, token text) IS 'Runs the search of rag.search with these arguments, and tells how instead of what: who asks and what that identity sees, each stage with the route it took and why, how many passages it looked at or left, and its milliseconds; then, step hit, each hit and each leg that found it (route): rank, raw score, share of the fused score (0 to 1), and in detail the terms of BM25 or the corrections; last, step result: found, no match, abstained, nothing visible. Counts are of what the caller can see. It is not recorded.';

CREATE FUNCTION rag.fuzzy_search(query text, collections text[] DEFAULT NULL::text[], top_k integer DEFAULT 10, filter jsonb DEFAULT NULL::jsonb, filter_path jsonpath DEFAULT NULL::jsonpath, vars jsonb DEFAULT NULL::jsonb, skip integer DEFAULT 0, max_distance integer DEFAULT NULL::integer, min_score double precision DEFAULT NULL::double precision, min_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, max_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, as_of timestamp with time zone DEFAULT NULL::timestamp with time zone, include_archived boolean DEFAULT NULL::boolean, highlight boolean DEFAULT NULL::boolean, token text DEFAULT NULL::text) RETURNS SETOF rag.hit
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT h.rank,
     h.score,
     h.document_id,
     h.chunk_index,
     h.collection,
     h.source,
     h.title,
     h.heading,
     h.content,
     h.highlight,
     h.start_offset,
     h.end_offset,
     h.start_line,
     h.end_line,
     h.page,
     h.kind,
     h.metadata,
     h.semantic_rank,
     h.semantic_score,
     h.bm25_rank,
     h.bm25_score,
     h.fuzzy_rank,
     h.fuzzy_score,
     h.rerank_score,
     h.corrected_query,
     h.degraded,
     h.citation,
     h.version,
     h.matches,
     h.expanded,
     h.expanded_start,
     h.expanded_end
    FROM rag_internal.caller c,
     LATERAL rag_internal.search(c.who, c.ticket, fuzzy_search.token, rag_internal.search_request(query => fuzzy_search.query, strategy => 'fuzzy'::text, collections => fuzzy_search.collections, top_k => fuzzy_search.top_k, filter => fuzzy_search.filter, filter_path => fuzzy_search.filter_path, vars => fuzzy_search.vars, skip => fuzzy_search.skip, max_distance => fuzzy_search.max_distance, min_score => fuzzy_search.min_score, min_updated_at => fuzzy_search.min_updated_at, max_updated_at => fuzzy_search.max_updated_at, as_of => fuzzy_search.as_of, include_archived => fuzzy_search.include_archived, highlight => fuzzy_search.highlight)) h(rank, score, document_id, chunk_index, collection, source, title, heading, content, highlight, start_offset, end_offset, start_line, end_line, page, kind, metadata, semantic_rank, semantic_score, bm25_rank, bm25_score, fuzzy_rank, fuzzy_score, rerank_score, corrected_query, degraded, citation, version, matches, expanded, expanded_start, expanded_end);
END;

ALTER FUNCTION rag.fuzzy_search(query text, collections text[], top_k integer, filter jsonb, filter_path jsonpath, vars jsonb, skip integer, max_distance integer, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, highlight boolean, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.fuzzy_search(query text, collections text[], top_k integer, filter jsonb, filter_path jsonpath, vars jsonb, skip integer, max_distance integer, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, highlight boolean, token text) IS 'The top_k passages whose words are nearest to those of the query, typing errors allowed for; score 0 to 1. Arguments as in rag.search.';

CREATE FUNCTION rag_internal.readable_chunks(who name, ticket bytea, only_document uuid, token text) RETURNS TABLE(document_id uuid, chunk_index integer, content text, embed_text text, start_offset integer, end_offset integer, start_line integer, end_line integer, page integer, heading text[], section_start integer, section_end integer, kind text, token_count integer, value real, metadata jsonb, tsv tsvector)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket, token);
    _redacted bigint[] := rag_internal.redacted_collections(_identity);
begin
    return query
        select c.document_id, c.chunk_index, c.content, c.embed_text, c.start_offset,
               c.end_offset, c.start_line, c.end_line, c.page, c.heading, c.section_start,
               c.section_end, c.kind, c.token_count, c.value, c.metadata, c.tsv
        from rag_internal.chunk c
        join rag_internal.document d using (document_id)
        where d.acl_id in (select rag_internal.visible_acls(_identity))
          and d.collection_id <> all (_redacted)
          and (readable_chunks.only_document is null
               or c.document_id = readable_chunks.only_document);
    if found or readable_chunks.only_document is null or _redacted = '{}' then
        return;
    end if;
    return query
        select c.document_id, c.chunk_index, s.content, s.embed_text, c.start_offset,
               c.end_offset, c.start_line, c.end_line, c.page, s.heading, c.section_start,
               c.section_end, s.kind, c.token_count, c.value, s.metadata, s.tsv
        from rag_internal.document d
        cross join lateral (
            select rag_internal.redaction_of(d, rag_internal.redaction_rules(_redacted))
                   as redaction offset 0) r
        join rag_internal.chunk c using (document_id)
        cross join lateral rag_internal.redact_chunk(c, r.redaction) s
        where d.acl_id in (select rag_internal.visible_acls(_identity))
          and d.collection_id = any (_redacted)
          and d.document_id = readable_chunks.only_document;
end
$$;

ALTER FUNCTION rag_internal.readable_chunks(who name, ticket bytea, only_document uuid, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.readable_chunks(who name, ticket bytea, only_document uuid, token text) IS 'Rows of rag.chunk; only_document null: all that the caller may read as they are.';

CREATE VIEW rag.chunk WITH (security_invoker='true') AS
 SELECT r.document_id,
    r.chunk_index,
    r.content,
    r.embed_text,
    r.start_offset,
    r.end_offset,
    r.start_line,
    r.end_line,
    r.page,
    r.heading,
    r.section_start,
    r.section_end,
    r.kind,
    r.token_count,
    r.value,
    r.metadata,
    r.tsv
   FROM rag_internal.caller c,
    LATERAL rag_internal.readable_chunks(c.who, c.ticket, NULL::uuid, NULL::text) r(document_id, chunk_index, content, embed_text, start_offset, end_offset, start_line, end_line, page, heading, section_start, section_end, kind, token_count, value, metadata, tsv);

ALTER TABLE rag.chunk OWNER TO rag_owner;

COMMENT ON VIEW rag.chunk IS 'Passages that the caller may read; rag.get_chunks reads those of one document. content = substr(document.content, start_offset + 1, end_offset - start_offset). Where redaction rules hold for the caller, a passage is read by rag.get_chunks alone. A view over a function, not a table behind policies: a plan of the latter would tell of rows that the caller may not see.';

CREATE FUNCTION rag.get_chunks(document_id uuid, token text DEFAULT NULL::text) RETURNS SETOF rag.chunk
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT r.document_id,
     r.chunk_index,
     r.content,
     r.embed_text,
     r.start_offset,
     r.end_offset,
     r.start_line,
     r.end_line,
     r.page,
     r.heading,
     r.section_start,
     r.section_end,
     r.kind,
     r.token_count,
     r.value,
     r.metadata,
     r.tsv
    FROM rag_internal.caller c,
     LATERAL rag_internal.readable_chunks(c.who, c.ticket, get_chunks.document_id, get_chunks.token) r(document_id, chunk_index, content, embed_text, start_offset, end_offset, start_line, end_line, page, heading, section_start, section_end, kind, token_count, value, metadata, tsv)
   WHERE (get_chunks.document_id IS NOT NULL)
   ORDER BY r.chunk_index;
END;

ALTER FUNCTION rag.get_chunks(document_id uuid, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.get_chunks(document_id uuid, token text) IS 'The passages of a document in order; no row where the caller may not read it or there is none. Where redaction rules hold for the caller, their texts are redacted (offsets stay those of the original), and embed_text and tsv are null.';

CREATE FUNCTION rag_internal.readable_documents(who name, ticket bytea, only_document uuid, token text) RETURNS TABLE(document_id uuid, collection text, source text, version text, title text, content text, content_hash bytea, mime text, language text, status text, valid_from timestamp with time zone, valid_until timestamp with time zone, tags text[], metadata jsonb, attributes jsonb, created_at timestamp with time zone, updated_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket, token);
    _redacted bigint[] := rag_internal.redacted_collections(_identity);
begin
    return query
        select d.document_id, k.name, d.source, d.version, d.title, d.content, d.content_hash,
               d.mime, d.language, d.status, d.valid_from, d.valid_until, d.tags, d.metadata,
               d.attributes, d.created_at, d.updated_at
        from rag_internal.document d
        join rag_internal.collection k using (collection_id)
        where d.acl_id in (select rag_internal.visible_acls(_identity))
          and d.collection_id <> all (_redacted)
          and (readable_documents.only_document is null
               or d.document_id = readable_documents.only_document);
    if found or readable_documents.only_document is null or _redacted = '{}' then
        return;
    end if;
    return query
        select d.document_id, k.name, r.source, r.version, r.title, r.content, r.content_hash,
               r.mime, r.language, d.status, d.valid_from, d.valid_until, r.tags, r.metadata,
               r.attributes, d.created_at, d.updated_at
        from rag_internal.document d
        join rag_internal.collection k using (collection_id)
        cross join lateral rag_internal.redact_document(d) r
        where d.acl_id in (select rag_internal.visible_acls(_identity))
          and d.collection_id = any (_redacted)
          and d.document_id = readable_documents.only_document;
end
$$;

ALTER FUNCTION rag_internal.readable_documents(who name, ticket bytea, only_document uuid, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.readable_documents(who name, ticket bytea, only_document uuid, token text) IS 'Rows of rag.document; only_document null: all that the caller may read as they are.';

CREATE VIEW rag.document WITH (security_invoker='true') AS
 SELECT r.document_id,
    r.collection,
    r.source,
    r.version,
    r.title,
    r.content,
    r.content_hash,
    r.mime,
    r.language,
    r.status,
    r.valid_from,
    r.valid_until,
    r.tags,
    r.metadata,
    r.attributes,
    r.created_at,
    r.updated_at
   FROM rag_internal.caller c,
    LATERAL rag_internal.readable_documents(c.who, c.ticket, NULL::uuid, NULL::text) r(document_id, collection, source, version, title, content, content_hash, mime, language, status, valid_from, valid_until, tags, metadata, attributes, created_at, updated_at);

ALTER TABLE rag.document OWNER TO rag_owner;

COMMENT ON VIEW rag.document IS 'Documents that the caller may read, character for character as ingested; rag.get_document reads one. content_hash is the SHA-256 of content in UTF-8; attributes are what filters see. Where redaction rules hold for the caller, a document is read by rag.get_document alone. A view over a function, not a table behind policies: a plan of the latter would tell of rows that the caller may not see.';

CREATE FUNCTION rag.get_document(document_id uuid, token text DEFAULT NULL::text) RETURNS SETOF rag.document
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT r.document_id,
     r.collection,
     r.source,
     r.version,
     r.title,
     r.content,
     r.content_hash,
     r.mime,
     r.language,
     r.status,
     r.valid_from,
     r.valid_until,
     r.tags,
     r.metadata,
     r.attributes,
     r.created_at,
     r.updated_at
    FROM rag_internal.caller c,
     LATERAL rag_internal.readable_documents(c.who, c.ticket, get_document.document_id, get_document.token) r(document_id, collection, source, version, title, content, content_hash, mime, language, status, valid_from, valid_until, tags, metadata, attributes, created_at, updated_at)
   WHERE (get_document.document_id IS NOT NULL);
END;

ALTER FUNCTION rag.get_document(document_id uuid, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.get_document(document_id uuid, token text) IS 'The document, or no row where the caller may not read it or there is none. By primary key, where rag.document reads all that the caller may read. Where redaction rules hold for the caller, its texts are redacted and content_hash is null.';

CREATE FUNCTION rag_internal.change_readers(who name, ticket bytea, collection text, readers text[], document_ids uuid[], granted boolean) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection rag_internal.collection;
    _document rag_internal.document;
    _document_id uuid;
    _acl rag_internal.acl;
    _principal_ids bigint[];
    _before bigint[];
    _after bigint[];
    _changed boolean := false;
begin
    perform rag_internal.check_grant(change_readers.collection, document_ids, readers);
    if change_readers.collection is not null then
        _collection := rag_internal.own_collection(_identity, change_readers.collection, true);
        _principal_ids := rag_internal.grantees(readers, _collection.tenant, granted);
        if granted then
            insert into rag_internal.acl_reader (principal_id, acl_id)
            select p, _collection.acl_id from unnest(_principal_ids) p
            on conflict do nothing;
        else
            delete from rag_internal.acl_reader ar
            where ar.principal_id = any (_principal_ids) and ar.acl_id = _collection.acl_id;
        end if;
        _changed := found;
        perform rag_internal.touch_collection(_collection.collection_id) where _changed;
        return _changed;
    end if;

    perform rag_internal.lock_collections(_identity, document_ids);
    for _document_id in select distinct d from unnest(document_ids) d order by d loop
        _document := rag_internal.owned_document(_identity, _document_id, true);
        select a.* into _acl from rag_internal.acl a where a.acl_id = _document.acl_id;
        _principal_ids := rag_internal.grantees(readers, _acl.tenant, granted);
        _before := array(
            select ar.principal_id from rag_internal.acl_reader ar
            where ar.acl_id = coalesce(_acl.grants_id, _acl.acl_id));
        _after := case when granted then _before || _principal_ids
                       else array(select p from unnest(_before) p
                                  where p <> all (_principal_ids)) end;
        if not (_after <@ _before and _before <@ _after)
           -- one who reads through the collection is to read on when the collection ends that
           or (granted and _acl.reader_set is null) then
            update rag_internal.document d
            set acl_id = rag_internal.intern_readers(_after, _acl.tenant, _acl.security_level)
            where d.document_id = _document_id;
            perform rag_internal.keep_up_index(_document);
            _changed := true;
        end if;
    end loop;
    return _changed;
end
$$;

ALTER FUNCTION rag_internal.change_readers(who name, ticket bytea, collection text, readers text[], document_ids uuid[], granted boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.change_readers(who name, ticket bytea, collection text, readers text[], document_ids uuid[], granted boolean) IS 'See rag.grant_read and rag.revoke_read.';

CREATE FUNCTION rag.grant_read(collection text DEFAULT NULL::text, reader text DEFAULT NULL::text, document_id uuid DEFAULT NULL::uuid, readers text[] DEFAULT '{}'::text[], document_ids uuid[] DEFAULT '{}'::uuid[]) RETURNS boolean
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.change_readers(c.who, c.ticket, grant_read.collection, array_remove((grant_read.readers || grant_read.reader), NULL::text), array_remove((grant_read.document_ids || grant_read.document_id), NULL::uuid), true) AS change_readers
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.grant_read(collection text, reader text, document_id uuid, readers text[], document_ids uuid[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.grant_read(collection text, reader text, document_id uuid, readers text[], document_ids uuid[]) IS 'Adds readers (role:NAME, user:NAME, group:NAME or public) to a collection, or to documents by document_id or document_ids; whether that changed something. On a collection it reaches all documents that have no readers of their own, at the cost of a row. A document granted by itself keeps readers of its own from then on; rag.set_readers undoes that. Users and groups are those of the collection''s tenant.';

CREATE FUNCTION rag_internal.change_unredacted(who name, ticket bytea, collection text, reader text, granted boolean) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _collection rag_internal.collection := rag_internal.own_collection(
        rag_internal.authenticate(who, ticket), change_unredacted.collection, true);
begin
    if granted then
        insert into rag_internal.unredacted_reader (collection_id, principal_id)
        values (_collection.collection_id,
                rag_internal.principal_for(reader, _collection.tenant))
        on conflict do nothing;
    else
        delete from rag_internal.unredacted_reader u
        where u.collection_id = _collection.collection_id
          and u.principal_id = any (rag_internal.principals_named(reader, _collection.tenant));
    end if;
    return found;
end
$$;

ALTER FUNCTION rag_internal.change_unredacted(who name, ticket bytea, collection text, reader text, granted boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.change_unredacted(who name, ticket bytea, collection text, reader text, granted boolean) IS 'See rag.grant_unredacted and rag.revoke_unredacted.';

CREATE FUNCTION rag.grant_unredacted(collection text, reader text) RETURNS boolean
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.change_unredacted(c.who, c.ticket, grant_unredacted.collection, grant_unredacted.reader, true) AS change_unredacted
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.grant_unredacted(collection text, reader text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.grant_unredacted(collection text, reader text) IS 'Lets a reader, named as in rag.grant_read, see a collection without redaction, as far as it may read there; whether that changed something. For the owner of the collection and rag_admin.';

CREATE FUNCTION rag_internal.change_writers(who name, ticket bytea, collection text, writers text[], granted boolean) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _collection rag_internal.collection := rag_internal.own_collection(
        rag_internal.authenticate(who, ticket), change_writers.collection, true);
    _principal_ids bigint[];
    _changed boolean;
begin
    perform rag_internal.check_grant(_collection.name, null, writers);
    _principal_ids := rag_internal.grantees(writers, _collection.tenant, granted);
    if granted then
        insert into rag_internal.collection_writer (collection_id, principal_id)
        select _collection.collection_id, p from unnest(_principal_ids) p
        on conflict do nothing;
    else
        delete from rag_internal.collection_writer w
        where w.collection_id = _collection.collection_id
          and w.principal_id = any (_principal_ids);
    end if;
    _changed := found;
    perform rag_internal.touch_collection(_collection.collection_id) where _changed;
    return _changed;
end
$$;

ALTER FUNCTION rag_internal.change_writers(who name, ticket bytea, collection text, writers text[], granted boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.change_writers(who name, ticket bytea, collection text, writers text[], granted boolean) IS 'See rag.grant_write and rag.revoke_write.';

CREATE FUNCTION rag.grant_write(collection text, writer text DEFAULT NULL::text, writers text[] DEFAULT '{}'::text[]) RETURNS boolean
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.change_writers(c.who, c.ticket, grant_write.collection, array_remove((grant_write.writers || grant_write.writer), NULL::text), true) AS change_writers
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.grant_write(collection text, writer text, writers text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.grant_write(collection text, writer text, writers text[]) IS 'Lets writers (role:NAME, user:NAME, group:NAME, public) ingest, update and delete documents of a collection; whether that changed something. They need rag_writer, too. Writing is not reading, sharing or changing the collection; readers that a writer gives its own document count.';

CREATE FUNCTION rag_internal.ingest(who name, ticket bytea, collection text, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, embed text, security_level integer) RETURNS rag.ingested
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection rag_internal.collection;
    _new rag_internal.document;
    _front jsonb := '{}';
begin
    perform rag_internal.require_visible_text('content', ingest.content);
    perform rag_internal.check_embed(ingest.embed);
    _collection := rag_internal.chunking_for_ingest(
        rag_internal.collection_for_ingest(_identity, ingest.collection), ingest.strategy,
        ingest.chunk_size, ingest.overlap, ingest.min_chunk_size);
    if left(ingest.content, 4) ~ E'^\ufeff?---' then
        _front := rag_internal.front_matter(
            ingest.content, _collection.strategy, ingest.source,
            coalesce(ingest.mime, 'text/plain'));
    end if;
    _new := rag_internal.draft_document(
        _collection, ingest.content, ingest.source,
        coalesce(ingest.title, nullif(_front ->> 'title', '')),
        coalesce(nullif(ingest.tags, '{}'), array(
            select t.value
            from jsonb_array_elements_text(case when jsonb_typeof(_front -> 'tags') = 'array'
                                                then _front -> 'tags' else '[]' end) t (value)
            where t.value is not null)),
        case when jsonb_typeof(ingest.metadata) <> 'object' then ingest.metadata
             else _front || coalesce(ingest.metadata, '{}') end,
        ingest.readers, ingest.version, ingest.language, ingest.mime, ingest.valid_from,
        ingest.valid_until, ingest.security_level);
    _new.indexed_as := rag_internal.indexing_settings(_collection, _new);
    return rag_internal.store_document(_new, _collection, null, ingest.embed, _identity);
end
$$;

ALTER FUNCTION rag_internal.ingest(who name, ticket bytea, collection text, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, embed text, security_level integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.ingest(who name, ticket bytea, collection text, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, embed text, security_level integer) IS 'See rag.ingest.';

CREATE FUNCTION rag.ingest(collection text, content text, source text DEFAULT NULL::text, title text DEFAULT NULL::text, tags text[] DEFAULT '{}'::text[], metadata jsonb DEFAULT '{}'::jsonb, readers text[] DEFAULT NULL::text[], version text DEFAULT ''::text, language text DEFAULT NULL::text, mime text DEFAULT 'text/plain'::text, valid_from timestamp with time zone DEFAULT NULL::timestamp with time zone, valid_until timestamp with time zone DEFAULT NULL::timestamp with time zone, strategy text DEFAULT NULL::text, chunk_size integer DEFAULT NULL::integer, overlap integer DEFAULT NULL::integer, min_chunk_size integer DEFAULT NULL::integer, embed text DEFAULT 'now'::text, security_level integer DEFAULT NULL::integer) RETURNS rag.ingested
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.ingest(c.who, c.ticket, ingest.collection, ingest.content, ingest.source, ingest.title, ingest.tags, ingest.metadata, ingest.readers, ingest.version, ingest.language, ingest.mime, ingest.valid_from, ingest.valid_until, ingest.strategy, ingest.chunk_size, ingest.overlap, ingest.min_chunk_size, ingest.embed, ingest.security_level) AS ingest
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.ingest(collection text, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, embed text, security_level integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.ingest(collection text, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, embed text, security_level integer) IS 'Stores a document, in place of the one with the same collection, source and version: created, updated or unchanged. A missing collection is made; a null source becomes the content hash; readers are role:NAME, user:NAME, group:NAME or public, null the collection''s; security_level null likewise. Of a stored document the status stays, and so do readers with level and validity that are null here. Strategy and sizes are for this ingest, null the collection''s. Front matter of Markdown goes under metadata; its title and tags are taken where none are given. embed later: the text is found by its words at once, and job_id (null: nothing to embed) makes its vectors. Blank content is 22023.';

CREATE FUNCTION rag_internal.ingest_chunks(who name, ticket bytea, collection text, chunks jsonb, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, embed text, security_level integer) RETURNS rag.ingested
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection rag_internal.collection;
    _model rag_internal.model;
    _content text := ingest_chunks.content;
    _new rag_internal.document;
    _chunks rag_internal.prepared_chunk[];
begin
    perform rag_internal.check_embed(ingest_chunks.embed);
    if jsonb_typeof(chunks) is distinct from 'array' or jsonb_array_length(chunks) = 0 then
        raise exception using
            errcode = '22023',
            message = 'chunks is not a JSON array of objects, or is empty',
            hint    = 'For example: [{"content": "...", "embedding": [0.1, ...]}].';
    end if;
    _collection := rag_internal.collection_for_ingest(_identity, ingest_chunks.collection);
    select m.* into _model from rag_internal.model m where m.model_id = _collection.model_id;
    if _content is null then
        select string_agg(e ->> 'content', E'\n\n' order by n) into _content
        from jsonb_array_elements(chunks) with ordinality t (e, n)
        where jsonb_typeof(e) = 'object';
    end if;
    _chunks := rag_internal.given_chunks(chunks, coalesce(_content, ''), _model);
    _new := rag_internal.draft_document(
        _collection, _content, ingest_chunks.source, ingest_chunks.title, ingest_chunks.tags,
        ingest_chunks.metadata, ingest_chunks.readers, ingest_chunks.version,
        ingest_chunks.language, ingest_chunks.mime, ingest_chunks.valid_from,
        ingest_chunks.valid_until, ingest_chunks.security_level);
    -- the same chunks again are no change; a plain ingest of the text splits it anew
    _new.indexed_as := rag_internal.indexing_settings(_collection, _new)
        || jsonb_build_object('strategy', null,
                              'chunks', encode(sha256(convert_to(chunks::text, 'UTF8')), 'hex'));
    -- what is stored as it is asks no model; the vectors it has are known
    _chunks := rag_internal.embed_chunks(
        _chunks, _collection, _model,
        case when exists (select from rag_internal.document d
                          where d.collection_id = _new.collection_id and d.source = _new.source
                            and d.version = _new.version and d.content_hash = _new.content_hash
                            and d.indexed_as = _new.indexed_as)
             then 'later' else ingest_chunks.embed end);
    return rag_internal.store_document(_new, _collection, _chunks, ingest_chunks.embed,
                                       _identity);
end
$$;

ALTER FUNCTION rag_internal.ingest_chunks(who name, ticket bytea, collection text, chunks jsonb, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, embed text, security_level integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.ingest_chunks(who name, ticket bytea, collection text, chunks jsonb, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, embed text, security_level integer) IS 'See rag.ingest_chunks.';

CREATE FUNCTION rag.ingest_chunks(collection text, chunks jsonb, content text DEFAULT NULL::text, source text DEFAULT NULL::text, title text DEFAULT NULL::text, tags text[] DEFAULT '{}'::text[], metadata jsonb DEFAULT '{}'::jsonb, readers text[] DEFAULT NULL::text[], version text DEFAULT ''::text, language text DEFAULT NULL::text, mime text DEFAULT 'text/plain'::text, valid_from timestamp with time zone DEFAULT NULL::timestamp with time zone, valid_until timestamp with time zone DEFAULT NULL::timestamp with time zone, embed text DEFAULT 'now'::text, security_level integer DEFAULT NULL::integer) RETURNS rag.ingested
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.ingest_chunks(c.who, c.ticket, ingest_chunks.collection, ingest_chunks.chunks, ingest_chunks.content, ingest_chunks.source, ingest_chunks.title, ingest_chunks.tags, ingest_chunks.metadata, ingest_chunks.readers, ingest_chunks.version, ingest_chunks.language, ingest_chunks.mime, ingest_chunks.valid_from, ingest_chunks.valid_until, ingest_chunks.embed, ingest_chunks.security_level) AS ingest_chunks
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.ingest_chunks(collection text, chunks jsonb, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, embed text, security_level integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.ingest_chunks(collection text, chunks jsonb, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, embed text, security_level integer) IS 'Like rag.ingest, with passages as they are given: a JSON array of objects with content and, each optional, embedding (an array of numbers, of the model''s dimensions; scaled to length 1), embed_text, heading (an array), kind. Chunks stand in content in this order, character for character; content null: they are joined by blank lines. Where no vector is given the model makes it; vectors of a model of the provider external come this way or through rag.set_embeddings.';

CREATE FUNCTION rag_internal.ingest_many(who name, ticket bytea, collection text, documents jsonb, embed text) RETURNS SETOF rag.ingested
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $_$
declare
    _known text[] := array['content', 'source', 'title', 'tags', 'metadata', 'readers', 'version',
                           'language', 'mime', 'valid_from', 'valid_until', 'strategy',
                           'chunk_size', 'overlap', 'min_chunk_size', 'security_level'];
    _sizes text[] := array['chunk_size', 'overlap', 'min_chunk_size', 'security_level'];
    _document jsonb;
    _number bigint;
    _unknown text;
    _ingested rag.ingested[] := '{}';
    _job_id bigint;
begin
    if jsonb_typeof(documents) is distinct from 'array' then
        raise exception using
            errcode = '22023',
            message = 'documents is not a JSON array of objects',
            hint    = 'For example: [{"content": "...", "source": "a.md"}].';
    end if;
    for _document, _number in
        select e, n from jsonb_array_elements(documents) with ordinality t (e, n)
    loop
        if jsonb_typeof(_document) <> 'object' then
            raise exception using
                errcode = '22023',
                message = format('document %s is not a JSON object', _number);
        end if;
        select string_agg(k, ', ' order by k) into _unknown
        from jsonb_object_keys(_document) k
        where k <> all (_known);
        if _unknown is not null then
            raise exception using
                errcode = '22023',
                message = format('document %s has unknown keys: %s', _number, left(_unknown, 200)),
                hint    = format('Known keys: %s.', array_to_string(_known, ', '));
        end if;
        if jsonb_path_exists(
               _document - array['tags', 'metadata', 'readers'] - _sizes,
               'strict $.* ? (@.type() != "string" && @.type() != "null")')
           or exists (select from unnest(_sizes) s (name)
                      where _document ->> s.name !~ '^-?\d{1,9}$') then
            raise exception using
                errcode = '22023',
                message = format('document %s has a value of the wrong type', _number),
                hint    = 'Only tags and readers are arrays, metadata an object, and sizes '
                          'whole numbers.';
        end if;
        _ingested := _ingested || rag_internal.ingest(
            who, ticket, ingest_many.collection, _document ->> 'content', _document ->> 'source',
            _document ->> 'title', rag_internal.text_array(_document -> 'tags'),
            nullif(_document -> 'metadata', 'null'),
            rag_internal.text_array(_document -> 'readers'),
            _document ->> 'version', _document ->> 'language', _document ->> 'mime',
            (_document ->> 'valid_from')::timestamptz, (_document ->> 'valid_until')::timestamptz,
            _document ->> 'strategy', (_document ->> 'chunk_size')::integer,
            (_document ->> 'overlap')::integer, (_document ->> 'min_chunk_size')::integer,
            ingest_many.embed, (_document ->> 'security_level')::integer);
    end loop;
    _job_id := rag_internal.merge_jobs(array(
        select i.job_id from unnest(_ingested) i where i.job_id is not null));
    return query
        select i.document_id, i.status, i.chunks_created,
               case when i.job_id is not null then _job_id end, i.words_skipped
        from unnest(_ingested) with ordinality
             i (document_id, status, chunks_created, job_id, words_skipped, number)
        order by i.number;
end
$_$;

ALTER FUNCTION rag_internal.ingest_many(who name, ticket bytea, collection text, documents jsonb, embed text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.ingest_many(who name, ticket bytea, collection text, documents jsonb, embed text) IS 'See rag.ingest_many.';

CREATE FUNCTION rag.ingest_many(collection text, documents jsonb, embed text DEFAULT 'now'::text) RETURNS SETOF rag.ingested
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT i.document_id,
     i.status,
     i.chunks_created,
     i.job_id,
     i.words_skipped
    FROM rag_internal.caller c,
     LATERAL rag_internal.ingest_many(c.who, c.ticket, ingest_many.collection, ingest_many.documents, ingest_many.embed) i(document_id, status, chunks_created, job_id, words_skipped);
END;

ALTER FUNCTION rag.ingest_many(collection text, documents jsonb, embed text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.ingest_many(collection text, documents jsonb, embed text) IS 'Stores a JSON array of documents, a row for each in its order. Keys are the arguments of rag.ingest: content, source, title, tags, metadata, readers, version, language, mime, valid_from, valid_until, strategy, chunk_size, overlap, min_chunk_size. One bad document refuses all. embed as in rag.ingest, with one job for all of them.';

CREATE FUNCTION rag.list_collections() RETURNS SETOF rag.collection_info
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT i.name,
     i.owner,
     i.description,
     i.readers,
     i.strategy,
     i.chunk_size,
     i.overlap,
     i.min_chunk_size,
     i.model,
     i.text_config,
     i.search_defaults,
     i.documents,
     i.chunks,
     i.characters,
     i.created_at,
     i.updated_at,
     i.min_value,
     i.title_weight,
     i.heading_weight,
     i.tenant,
     i.security_level,
     i.writers
    FROM rag_internal.caller c,
     LATERAL rag_internal.describe_collections(c.who, c.ticket, NULL::text[]) i(name, owner, description, readers, strategy, chunk_size, overlap, min_chunk_size, model, text_config, search_defaults, documents, chunks, characters, created_at, updated_at, min_value, title_weight, heading_weight, tenant, security_level, writers);
END;

ALTER FUNCTION rag.list_collections() OWNER TO rag_owner;

COMMENT ON FUNCTION rag.list_collections() IS 'Collections by name, with all their settings, and counts of the documents, passages and characters that the caller can see.';

CREATE FUNCTION rag_internal.list_datasets(who name, ticket bytea) RETURNS SETOF rag.dataset_info
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
    select d.name, rag_internal.owner_name(p), d.description, d.collections,
           (select count(*) from rag_internal.dataset_query q
            where q.dataset_id = d.dataset_id)::integer,
           (select count(*) from rag_internal.judgment j
            where j.dataset_id = d.dataset_id)::integer,
           d.created_at, d.updated_at
    from rag_internal.authenticate(who, ticket) i
    join rag_internal.dataset d
      on i.sees_everything or (d.owner_id = any (i.principal_ids) and d.tenant = i.tenant)
    join rag_internal.principal p on p.principal_id = d.owner_id
    order by 1, 2
$$;

ALTER FUNCTION rag_internal.list_datasets(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.list_datasets(who name, ticket bytea) IS 'See rag.list_datasets.';

CREATE FUNCTION rag.list_datasets() RETURNS SETOF rag.dataset_info
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT r.name,
     r.owner,
     r.description,
     r.collections,
     r.queries,
     r.judgments,
     r.created_at,
     r.updated_at
    FROM rag_internal.caller c,
     LATERAL rag_internal.list_datasets(c.who, c.ticket) r(name, owner, description, collections, queries, judgments, created_at, updated_at);
END;

ALTER FUNCTION rag.list_datasets() OWNER TO rag_owner;

COMMENT ON FUNCTION rag.list_datasets() IS 'The caller''s datasets (all for rag_admin): collections that are searched (null: all), how many queries and judgments there are.';

CREATE FUNCTION rag_internal.list_evaluations(who name, ticket bytea, dataset text) RETURNS SETOF rag.evaluation_run
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    return query
        select d.name, e.run_id, e.evaluated_at, e.reader, e.collections, e.settings, e.top_k,
               e.strategy, e.stage, e.queries, e.answered, e.ndcg_10, e.mrr_10, e.recall_5,
               e.recall_20, e.recall_50
        from rag_internal.evaluation e
        join rag_internal.dataset d using (dataset_id)
        where coalesce(d.name = list_evaluations.dataset, true)
          and (_identity.sees_everything
               or (d.owner_id = any (_identity.principal_ids) and d.tenant = _identity.tenant
                   and e.reader = _identity.reader and e.tenant = _identity.tenant))
        order by e.evaluated_at, e.run_id, e.stage_number;
end
$$;

ALTER FUNCTION rag_internal.list_evaluations(who name, ticket bytea, dataset text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.list_evaluations(who name, ticket bytea, dataset text) IS 'See rag.list_evaluations.';

CREATE FUNCTION rag.list_evaluations(dataset text DEFAULT NULL::text) RETURNS SETOF rag.evaluation_run
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT r.dataset,
     r.run_id,
     r.evaluated_at,
     r.identity,
     r.collections,
     r.settings,
     r.top_k,
     r.strategy,
     r.stage,
     r.queries,
     r.answered,
     r.ndcg_10,
     r.mrr_10,
     r.recall_5,
     r.recall_20,
     r.recall_50
    FROM rag_internal.caller c,
     LATERAL rag_internal.list_evaluations(c.who, c.ticket, list_evaluations.dataset) r(dataset, run_id, evaluated_at, identity, collections, settings, top_k, strategy, stage, queries, answered, ndcg_10, mrr_10, recall_5, recall_20, recall_50);
END;

ALTER FUNCTION rag.list_evaluations(dataset text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.list_evaluations(dataset text) IS 'What the caller''s evaluations by a dataset (null: by any) found, for rag_admin everybody''s: a row for each run, strategy and stage, the oldest first.';

CREATE FUNCTION rag_internal.list_identity_keys(who name, ticket bytea) RETURNS SETOF rag.identity_key
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
begin
    if not (rag_internal.authenticate(who, ticket)).sees_everything then
        raise exception using
            errcode = '42501',
            message = 'only rag_admin may see which keys there are',
            hint    = 'Ask an administrator.';
    end if;
    return query
    select i.kid, i.algorithm, i.issuer, i.audience, i.tenant, i.not_before, i.not_after,
           i.created_at,
           coalesce(i.not_before <= clock_timestamp(), true)
           and coalesce(i.not_after > clock_timestamp(), true)
    from rag_internal.identity_key i
    order by i.kid;
end
$$;

ALTER FUNCTION rag_internal.list_identity_keys(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.list_identity_keys(who name, ticket bytea) IS 'See rag.list_identity_keys.';

CREATE FUNCTION rag.list_identity_keys() RETURNS SETOF rag.identity_key
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT i.kid,
     i.algorithm,
     i.issuer,
     i.audience,
     i.tenant,
     i.not_before,
     i.not_after,
     i.created_at,
     i.is_valid
    FROM rag_internal.caller c,
     LATERAL rag_internal.list_identity_keys(c.who, c.ticket) i(kid, algorithm, issuer, audience, tenant, not_before, not_after, created_at, is_valid);
END;

ALTER FUNCTION rag.list_identity_keys() OWNER TO rag_owner;

COMMENT ON FUNCTION rag.list_identity_keys() IS 'Which keys tokens are verified with, and what is checked with each (rag_admin only). The key itself is never shown.';

CREATE FUNCTION rag_internal.list_readers(who name, ticket bytea, collection text, document_id uuid) RETURNS SETOF rag.reader_grant
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection rag_internal.collection;
    _acl_id bigint;
begin
    perform rag_internal.check_grant(list_readers.collection,
                                     array_remove(array[list_readers.document_id], null), null);
    if list_readers.collection is not null then
        _collection := rag_internal.own_collection(_identity, list_readers.collection, null);
        _acl_id := _collection.acl_id;
    else
        _acl_id := (rag_internal.owned_document(_identity, list_readers.document_id,
                                                false)).acl_id;
    end if;
    return query
        select rag_internal.shown_name(p), g.privilege, g.security_level::integer
        from (select _collection.owner_id as principal_id, 'own' as privilege,
                     null::smallint as security_level
              union all
              select ar.principal_id, 'read', a.security_level
              from rag_internal.acl a
              join rag_internal.acl_reader ar on ar.acl_id = coalesce(a.grants_id, a.acl_id)
              where a.acl_id = _acl_id
              union all
              select w.principal_id, 'write', null from rag_internal.collection_writer w
              where w.collection_id = _collection.collection_id
              union all
              select u.principal_id, 'unredacted', null
              from rag_internal.unredacted_reader u
              where u.collection_id = _collection.collection_id) g
        join rag_internal.principal p using (principal_id)
        order by 1, 2;
end
$$;

ALTER FUNCTION rag_internal.list_readers(who name, ticket bytea, collection text, document_id uuid) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.list_readers(who name, ticket bytea, collection text, document_id uuid) IS 'See rag.list_readers.';

CREATE FUNCTION rag.list_readers(collection text DEFAULT NULL::text, document_id uuid DEFAULT NULL::uuid) RETURNS SETOF rag.reader_grant
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT r.reader,
     r.privilege,
     r.security_level
    FROM rag_internal.caller c,
     LATERAL rag_internal.list_readers(c.who, c.ticket, list_readers.collection, list_readers.document_id) r(reader, privilege, security_level);
END;

ALTER FUNCTION rag.list_readers(collection text, document_id uuid) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.list_readers(collection text, document_id uuid) IS 'To the owner of the collection: who owns it, reads it by default, writes to it and sees it unredacted; or who reads that document. A role that no longer exists is marked (gone).';

CREATE FUNCTION rag_internal.list_redaction_rules(who name, ticket bytea, collection text) RETURNS SETOF rag.redaction_rule
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
    select r.name, r.detector, r.pattern, r.replacement, r.created_at
    from rag_internal.own_collection(rag_internal.authenticate(who, ticket),
                                     list_redaction_rules.collection, null) k
    join rag_internal.redaction_rule r using (collection_id)
    order by r.name
$$;

ALTER FUNCTION rag_internal.list_redaction_rules(who name, ticket bytea, collection text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.list_redaction_rules(who name, ticket bytea, collection text) IS 'See rag.list_redaction_rules.';

CREATE FUNCTION rag.list_redaction_rules(collection text) RETURNS SETOF rag.redaction_rule
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT r.name,
     r.detector,
     r.pattern,
     r.replacement,
     r.created_at
    FROM rag_internal.caller c,
     LATERAL rag_internal.list_redaction_rules(c.who, c.ticket, list_redaction_rules.collection) r(name, detector, pattern, replacement, created_at);
END;

ALTER FUNCTION rag.list_redaction_rules(collection text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.list_redaction_rules(collection text) IS 'The redaction rules of a collection by name, for its owner and rag_admin.';

CREATE FUNCTION rag_internal.list_sources(who name, ticket bytea) RETURNS SETOF rag.source_rule
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
    select r.tenant, s.collection, s.may_search, s.may_ingest
    from rag_internal.authenticate(who, ticket) i
    join rag_internal.restricted_tenant r
      on i.sees_everything or (r.tenant = i.tenant and i.source <> 'nobody')
    left join rag_internal.allowed_source s on s.tenant = r.tenant
    order by 1, 2
$$;

ALTER FUNCTION rag_internal.list_sources(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.list_sources(who name, ticket bytea) IS 'See rag.list_sources.';

CREATE FUNCTION rag.list_sources() RETURNS SETOF rag.source_rule
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT r.tenant,
     r.collection,
     r.may_search,
     r.may_ingest
    FROM rag_internal.caller c,
     LATERAL rag_internal.list_sources(c.who, c.ticket) r(tenant, collection, may_search, may_ingest);
END;

ALTER FUNCTION rag.list_sources() OWNER TO rag_owner;

COMMENT ON FUNCTION rag.list_sources() IS 'The sources allowed to the caller''s tenant, for rag_admin to every restricted tenant; no row: not restricted.';

CREATE FUNCTION rag_internal.log_ingest(who name, ticket bytea, run_id uuid, collection text, source text, outcome text, document_id uuid, chunks integer, detail text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _outcomes constant text[] := array['created', 'updated', 'unchanged', 'empty', 'binary',
                                       'too_large', 'skipped', 'failed'];
    _problem text := case
        when log_ingest.run_id is null or log_ingest.collection is null
             or log_ingest.source is null then 'run_id, collection and source are needed'
        when log_ingest.outcome is null or log_ingest.outcome <> all (_outcomes)
            then format('outcome is "%s", but one of: %s', log_ingest.outcome,
                        array_to_string(_outcomes, ', '))
        when octet_length(log_ingest.source) > 8000 or length(log_ingest.collection) > 200
             or length(log_ingest.detail) > 1000
            then 'source has more than 8,000 bytes, collection more than 200 or detail more than '
                 '1,000 characters'
        when log_ingest.chunks < 0 then format('chunks is %s', log_ingest.chunks) end;
begin
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'A row says what happened to one file of a run.';
    end if;
    insert into rag_internal.ingest_log (user_name, role_oid, run_id, collection, source, outcome,
                                         document_id, chunks, detail, reader, tenant)
    values (_identity.who, quote_ident(_identity.who)::regrole, log_ingest.run_id,
            log_ingest.collection, log_ingest.source, log_ingest.outcome, log_ingest.document_id,
            log_ingest.chunks, log_ingest.detail, _identity.reader, _identity.tenant);
end
$$;

ALTER FUNCTION rag_internal.log_ingest(who name, ticket bytea, run_id uuid, collection text, source text, outcome text, document_id uuid, chunks integer, detail text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.log_ingest(who name, ticket bytea, run_id uuid, collection text, source text, outcome text, document_id uuid, chunks integer, detail text) IS 'See rag.log_ingest.';

CREATE FUNCTION rag.log_ingest(run_id uuid, collection text, source text, outcome text, document_id uuid DEFAULT NULL::uuid, chunks integer DEFAULT NULL::integer, detail text DEFAULT NULL::text) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.log_ingest(c.who, c.ticket, log_ingest.run_id, log_ingest.collection, log_ingest.source, log_ingest.outcome, log_ingest.document_id, log_ingest.chunks, log_ingest.detail) AS log_ingest
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.log_ingest(run_id uuid, collection text, source text, outcome text, document_id uuid, chunks integer, detail text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.log_ingest(run_id uuid, collection text, source text, outcome text, document_id uuid, chunks integer, detail text) IS 'Adds a row to rag.ingest_log, in the caller''s own name. outcome: created, updated, unchanged, empty, binary, too_large, skipped or failed; detail: a reason of at most 1,000 characters, never text of the document.';

CREATE PROCEDURE rag.maintain()
    LANGUAGE plpgsql
    AS $$
declare
    _more boolean;
begin
    loop
        _more := rag.maintain_step();
        commit;
        exit when not _more;
    end loop;
end
$$;

ALTER PROCEDURE rag.maintain() OWNER TO rag_owner;

COMMENT ON PROCEDURE rag.maintain() IS 'Builds what is pending into segments of the lexical index and merges small ones. It commits after each step, so call it outside a transaction. Ingests do the most urgent of it themselves.';

CREATE FUNCTION rag_internal.maintain_step(who name, ticket bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _config text;
begin
    perform rag_internal.authenticate(who, ticket);
    perform rag_internal.require_read_committed('rag.maintain');
    for _config in
        select p.text_config from rag_internal.pending p
        union
        select s.text_config from rag_internal.segment s
        order by 1
    loop
        if rag_internal.build_segment(_config) > 0
           or rag_internal.merge_segments(_config, 65536) then
            return true;
        end if;
    end loop;
    perform rag_internal.sweep_tombstones();
    delete from rag_internal.job j
    where j.finished_at < now() - interval '30 days'
      and not exists (select from rag_internal.embedding_task t where t.job_id = j.job_id);
    perform rag_internal.forget_searches();
    perform rag_internal.forget_answers(null);
    return false;
end
$$;

ALTER FUNCTION rag_internal.maintain_step(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.maintain_step(who name, ticket bytea) IS 'Builds or merges one segment; false when there was nothing to do, after what is dead and gone was swept, and jobs that ended 30 days ago and old records of searches forgotten.';

CREATE FUNCTION rag.maintain_step() RETURNS boolean
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.maintain_step(c.who, c.ticket) AS maintain_step
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.maintain_step() OWNER TO rag_owner;

COMMENT ON FUNCTION rag.maintain_step() IS 'Builds or merges one segment of the lexical index; false when there was nothing left to do. rag.maintain() calls it until then.';

CREATE FUNCTION rag_internal.show_model_progress(who name, ticket bytea, collection text, model text) RETURNS SETOF rag.model_progress
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _collection rag_internal.collection := rag_internal.own_collection(
        rag_internal.authenticate(who, ticket), show_model_progress.collection, null);
    _model rag_internal.model;
begin
    if show_model_progress.model is not null then
        _model := rag_internal.find_model(show_model_progress.model);
    end if;
    return query select p.* from rag_internal.model_progress(_collection, _model.model_id) p;
end
$$;

ALTER FUNCTION rag_internal.show_model_progress(who name, ticket bytea, collection text, model text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.show_model_progress(who name, ticket bytea, collection text, model text) IS 'See rag.model_progress.';

CREATE FUNCTION rag.model_progress(collection text, model text DEFAULT NULL::text) RETURNS SETOF rag.model_progress
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT p.model,
     p.is_searched,
     p.passages,
     p.embedded,
     p.waiting,
     p.failed
    FROM rag_internal.caller c,
     LATERAL rag_internal.show_model_progress(c.who, c.ticket, model_progress.collection, model_progress.model) p(model, is_searched, passages, embedded, waiting, failed);
END;

ALTER FUNCTION rag.model_progress(collection text, model text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.model_progress(collection text, model text) IS 'A row for each model that the collection keeps vectors of, the one it is searched by first; or for the model that is named, kept or not. waiting: passages without a vector that were not given up, queued or not. Owner or rag_admin only.';

CREATE FUNCTION rag_internal.predict_chunk_value(who name, ticket bytea, content text, heading text[], kind text) RETURNS real
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
begin
    perform rag_internal.authenticate(who, ticket);
    perform rag_internal.require_visible_text('content', predict_chunk_value.content);
    return rag_internal.passage_value(predict_chunk_value.content,
                                      coalesce(predict_chunk_value.heading, '{}'),
                                      coalesce(predict_chunk_value.kind, 'prose'));
end
$$;

ALTER FUNCTION rag_internal.predict_chunk_value(who name, ticket bytea, content text, heading text[], kind text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.predict_chunk_value(who name, ticket bytea, content text, heading text[], kind text) IS 'See rag.predict_chunk_value.';

CREATE FUNCTION rag.predict_chunk_value(content text, heading text[] DEFAULT '{}'::text[], kind text DEFAULT 'prose'::text) RETURNS real
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT rag_internal.predict_chunk_value(c.who, c.ticket, predict_chunk_value.content, predict_chunk_value.heading, predict_chunk_value.kind) AS predict_chunk_value
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.predict_chunk_value(content text, heading text[], kind text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.predict_chunk_value(content text, heading text[], kind text) IS 'From 0 to 1: how likely a passage answers a question by itself. Licences, changelogs, navigation and tables of contents are low, code without a word of prose at most 0.5. kind as in rag.chunk. Blank content is 22023.';

CREATE FUNCTION rag_internal.prepare_model(who name, ticket bytea, collection text, model text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection rag_internal.collection;
    _model rag_internal.model;
begin
    -- an older snapshot would miss documents that were ingested since
    perform rag_internal.require_read_committed('rag.prepare_model');
    _collection := rag_internal.own_collection(_identity, prepare_model.collection, true);
    if prepare_model.model is not null then
        _model := rag_internal.usable_model(prepare_model.model);
        insert into rag_internal.collection_model (collection_id, model_id)
        select _collection.collection_id, _model.model_id
        where _model.model_id is distinct from _collection.model_id
        on conflict on constraint collection_model_pkey do nothing;
        -- an ingest on an older snapshot, which would not know of this model, fails by it
        update rag_internal.collection k set updated_at = now()
        where k.collection_id = _collection.collection_id;
    end if;
    return rag_internal.queue_embeddings(_collection, null, _model.model_id, _identity);
end
$$;

ALTER FUNCTION rag_internal.prepare_model(who name, ticket bytea, collection text, model text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.prepare_model(who name, ticket bytea, collection text, model text) IS 'See rag.prepare_model.';

CREATE FUNCTION rag.prepare_model(collection text, model text DEFAULT NULL::text) RETURNS bigint
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.prepare_model(c.who, c.ticket, prepare_model.collection, prepare_model.model) AS prepare_model
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.prepare_model(collection text, model text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.prepare_model(collection text, model text) IS 'From now on the collection keeps vectors under this model, too; searches go on with its own until rag.set_model. The job that makes what is missing, null where nothing is. model null: what is missing under the models it has. Owner or rag_admin only.';

CREATE FUNCTION rag_internal.prune_search_log(who name, ticket bytea, older_than interval) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
begin
    perform rag_internal.require_admin(rag_internal.authenticate(who, ticket),
                                       'forget records of searches');
    return rag_internal.forget_searches(older_than);
end
$$;

ALTER FUNCTION rag_internal.prune_search_log(who name, ticket bytea, older_than interval) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.prune_search_log(who name, ticket bytea, older_than interval) IS 'See rag.prune_search_log.';

CREATE FUNCTION rag.prune_search_log(older_than interval DEFAULT NULL::interval) RETURNS bigint
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.prune_search_log(c.who, c.ticket, prune_search_log.older_than) AS prune_search_log
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.prune_search_log(older_than interval) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.prune_search_log(older_than interval) IS 'rag_admin only: removes records of searches older than that (null: than the days of rag.configure_search_log); how many. rag.maintain does it, too.';

CREATE FUNCTION rag_internal.rebuild_index(who name, ticket bytea, collection text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection rag_internal.collection := rag_internal.own_collection(
        _identity, rebuild_index.collection, true);
    _document rag_internal.document;
    _config text;
begin
    perform rag_internal.require_read_committed('rag.rebuild_index');
    for _document in
        select d.* from rag_internal.document d
        where d.collection_id = _collection.collection_id
        for update
    loop
        perform rag_internal.reindex_document(_document, _collection);
    end loop;
    perform rag_internal.bury_strays(_collection.collection_id);
    for _config in
        select distinct d.text_config from rag_internal.document d
        where d.collection_id = _collection.collection_id
    loop
        while rag_internal.build_segment(_config) >= 2048 loop
            null;
        end loop;
    end loop;
    update rag_internal.collection k
    set analyzed_as = rag_internal.analyzer_stamp(k.text_config)
    where k.collection_id = _collection.collection_id;
    -- what the caller cannot see is not counted
    return (select count(*)
            from rag_internal.chunk c join rag_internal.document d using (document_id)
            where d.collection_id = _collection.collection_id
              and d.acl_id in (select rag_internal.visible_acls(_identity)));
end
$$;

ALTER FUNCTION rag_internal.rebuild_index(who name, ticket bytea, collection text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.rebuild_index(who name, ticket bytea, collection text) IS 'See rag.rebuild_index.';

CREATE FUNCTION rag.rebuild_index(collection text) RETURNS bigint
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.rebuild_index(c.who, c.ticket, rebuild_index.collection) AS rebuild_index
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.rebuild_index(collection text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.rebuild_index(collection text) IS 'Analyses every passage of a collection again and indexes it; returns the number of those. The collection must be the caller''s own; who writes to it meanwhile waits. Needed after an upgrade that changed the analyzer or the stemmers; rag.doctor() says so.';

CREATE FUNCTION rag_internal.release_model(who name, ticket bytea, collection text, model text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection rag_internal.collection;
    _model rag_internal.model;
    _job_ids bigint[];
begin
    perform rag_internal.require_visible_text('model', release_model.model);
    _collection := rag_internal.own_collection(_identity, release_model.collection, true);
    _model := rag_internal.find_model(release_model.model);
    if _model.model_id = _collection.model_id then
        raise exception using
            errcode = '55000',
            message = format('collection "%s" is searched by model "%s"', _collection.name,
                             _model.name),
            hint    = 'rag.set_model(collection, ...) chooses another one first.';
    end if;
    delete from rag_internal.collection_model n
    where n.collection_id = _collection.collection_id and n.model_id = _model.model_id;
    if not found then
        return false;
    end if;
    -- an ingest on an older snapshot, which would still know of this model, fails by it
    update rag_internal.collection k set updated_at = now()
    where k.collection_id = _collection.collection_id;
    with dropped as (
        delete from rag_internal.embedding_task t
        where t.model_id = _model.model_id and t.collection_id = _collection.collection_id
        returning t.job_id
    ), released as (
        update rag_internal.job j set total = j.total - s.passages
        from (select d.job_id, count(*) as passages from dropped d group by d.job_id) s
        where j.job_id = s.job_id
    )
    select array_agg(distinct d.job_id) into _job_ids from dropped d;
    perform rag_internal.finish_jobs(_job_ids);
    delete from rag_internal.embedding e
    where e.model_id = _model.model_id and e.collection_id = _collection.collection_id;
    return true;
end
$$;

ALTER FUNCTION rag_internal.release_model(who name, ticket bytea, collection text, model text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.release_model(who name, ticket bytea, collection text, model text) IS 'See rag.release_model.';

CREATE FUNCTION rag.release_model(collection text, model text) RETURNS boolean
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.release_model(c.who, c.ticket, release_model.collection, release_model.model) AS release_model
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.release_model(collection text, model text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.release_model(collection text, model text) IS 'Removes the collection''s vectors under a model that it is not searched by (that is 55000), and makes no more of them; false where it kept none. Owner or rag_admin only.';

CREATE FUNCTION rag_internal.rename_collection(who name, ticket bytea, name text, new_name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _collection rag_internal.collection := rag_internal.own_collection(
        rag_internal.authenticate(who, ticket), rename_collection.name, true);
begin
    perform rag_internal.check_name(new_name);
    update rag_internal.collection k
    set name = rename_collection.new_name, updated_at = now()
    where k.collection_id = _collection.collection_id;
exception when unique_violation then
    raise exception using
        errcode = '42710',
        message = format('the collection name "%s" is taken', new_name),
        hint    = 'Choose another name.';
end
$$;

ALTER FUNCTION rag_internal.rename_collection(who name, ticket bytea, name text, new_name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.rename_collection(who name, ticket bytea, name text, new_name text) IS 'See rag.rename_collection.';

CREATE FUNCTION rag.rename_collection(name text, new_name text) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.rename_collection(c.who, c.ticket, rename_collection.name, rename_collection.new_name) AS rename_collection
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.rename_collection(name text, new_name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.rename_collection(name text, new_name text) IS 'Renames a collection; its documents and readers stay. 42710 where the new name is taken.';

CREATE FUNCTION rag_internal.rerank(who name, ticket bytea, query text, passages text[], model text, token text) RETURNS SETOF rag.reranked
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _problem text;
begin
    perform rag_internal.authenticate(who, ticket, token);
    _problem := case
        when array_ndims(passages) > 1 then 'passages has more than one dimension'
        when cardinality(passages) > 1000
            then format('%s passages are given, but at most 1,000 are ranked at once',
                        cardinality(passages)) end;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'Give a list of texts; rag.search finds passages first.';
    end if;
    perform rag_internal.check_query(rerank.query);
    return query
        select (row_number() over (order by s.score desc, s.place))::integer, s.place::integer,
               s.score
        from unnest(rag_internal.rerank_passages(rerank.query, passages, model))
             with ordinality s (score, place)
        order by s.score desc, s.place;
end
$$;

ALTER FUNCTION rag_internal.rerank(who name, ticket bytea, query text, passages text[], model text, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.rerank(who name, ticket bytea, query text, passages text[], model text, token text) IS 'See rag.rerank.';

CREATE FUNCTION rag.rerank(query text, passages text[], model text DEFAULT NULL::text, token text DEFAULT NULL::text) RETURNS SETOF rag.reranked
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT t.rank,
     t.index,
     t.score
    FROM rag_internal.caller c,
     LATERAL rag_internal.rerank(c.who, c.ticket, rerank.query, rerank.passages, rerank.model, rerank.token) t(rank, index, score);
END;

ALTER FUNCTION rag.rerank(query text, passages text[], model text, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.rerank(query text, passages text[], model text, token text) IS 'Passages by the probability that they are relevant to the query, as a reranker sees it: rank, index (place in passages, from 1), score. Equal scores keep their order; a blank or null passage scores 0. model: a name in rag.reranker, null the default one; 55000 where it cannot be used.';

CREATE FUNCTION rag_internal.resolve_citation(who name, ticket bytea, citation text, token text) RETURNS rag.resolved_citation
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket, token);
    _cited record := rag_internal.read_citation(citation);
    _redacted bigint[] := rag_internal.redacted_collections(_identity);
    _document rag_internal.document;
    _chunk rag_internal.chunk;
    _redaction rag_internal.redaction;
    _result rag.resolved_citation;
    _start integer;
    _end integer;
begin
    select d.* into _document
    from rag_internal.document d
    where d.document_id = _cited.document_id
      and d.acl_id in (select rag_internal.visible_acls(_identity, array[d.acl_id]));
    if not found then
        raise exception using
            errcode = 'P0002',
            message = format('document %s does not exist or is not visible to you',
                             _cited.document_id),
            hint    = 'Search again: what is cited has been removed, or is not shared with you.';
    end if;

    _start := rag_internal.cited_span(
        _document, _cited.document_hash, _cited.passage_hash, _cited.start_offset,
        _cited.end_offset, _document.collection_id = any (_redacted));
    _end := coalesce(_start, _cited.start_offset) + (_cited.end_offset - _cited.start_offset);
    select c.* into _chunk
    from rag_internal.chunk c
    where c.document_id = _document.document_id
    order by greatest(c.start_offset, coalesce(_start, _cited.start_offset))
             - least(c.end_offset, _end),
             abs(c.chunk_index - _cited.chunk_index), c.chunk_index
    limit 1;

    _result.status := case _start when _cited.start_offset then 'current' else 'moved' end;
    if _start is null then
        _result.status := 'changed';
        _start := _chunk.start_offset;
        _end := _chunk.end_offset;
    end if;
    _result.content := substr(_document.content, _start + 1, _end - _start);
    _result.start_line := 1 + rag_internal.line_breaks(left(_document.content, _start));
    _result.end_line := _result.start_line
                      + rag_internal.line_breaks(rtrim(_result.content, E'\n'));
    _result.document_id := _document.document_id;
    _result.chunk_index := _chunk.chunk_index;
    _result.collection := (select k.name from rag_internal.collection k
                           where k.collection_id = _document.collection_id);
    _result.source := _document.source;
    _result.version := _document.version;
    _result.title := _document.title;
    _result.start_offset := _start;
    _result.end_offset := _end;
    _result.page := _chunk.page;
    if _document.collection_id = any (_redacted) then
        _redaction := rag_internal.redaction_of(_document, rag_internal.redaction_rules(_redacted));
        _result.content := rag_internal.withhold(
            _redaction.rules,
            rag_internal.redact_passage(_redaction, _result.content, _start));
        _result.source := rag_internal.withhold(
            _redaction.rules, rag_internal.redact_label(_redaction, _result.source));
        _result.version := rag_internal.withhold(
            _redaction.rules, rag_internal.redact_label(_redaction, _result.version));
        _result.title := rag_internal.withhold(
            _redaction.rules, rag_internal.redact_label(_redaction, _result.title));
    end if;
    return _result;
end
$$;

ALTER FUNCTION rag_internal.resolve_citation(who name, ticket bytea, citation text, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.resolve_citation(who name, ticket bytea, citation text, token text) IS 'See rag.resolve_citation.';

CREATE FUNCTION rag.resolve_citation(citation text, token text DEFAULT NULL::text) RETURNS rag.resolved_citation
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT rag_internal.resolve_citation(c.who, c.ticket, resolve_citation.citation, resolve_citation.token) AS resolve_citation
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.resolve_citation(citation text, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.resolve_citation(citation text, token text) IS 'status: current, where the cited text stands where it stood; moved, elsewhere in its document; changed, it is gone, and this is what stands in its place. A document that is missing and one that is hidden are the same P0002; what is no citation is 22023. Where redaction rules hold for the caller, texts are redacted (offsets stay those of the original), and a citation that was made for somebody who reads the originals counts as changed.';

CREATE FUNCTION rag_internal.retry_job(who name, ticket bytea, job_id bigint) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _job rag_internal.job := rag_internal.own_job(
        rag_internal.authenticate(who, ticket), retry_job.job_id);
    _retried integer;
begin
    update rag_internal.embedding_task t
    set is_dead = false, attempts = 0, error = null, run_after = clock_timestamp()
    -- what is locked is being deleted
    from (select g.model_id, g.chunk_id from rag_internal.embedding_task g
          where g.job_id = retry_job.job_id and g.is_dead
          for update skip locked) g
    where t.model_id = g.model_id and t.chunk_id = g.chunk_id;
    get diagnostics _retried = row_count;
    if _retried > 0 then
        update rag_internal.job j
        set status = 'queued', error = null, finished_at = null
        where j.job_id = retry_job.job_id;
    end if;
    return _retried;
end
$$;

ALTER FUNCTION rag_internal.retry_job(who name, ticket bytea, job_id bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.retry_job(who name, ticket bytea, job_id bigint) IS 'See rag.retry_job.';

CREATE FUNCTION rag.retry_job(job_id bigint) RETURNS integer
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.retry_job(c.who, c.ticket, retry_job.job_id) AS retry_job
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.retry_job(job_id bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.retry_job(job_id bigint) IS 'Queues the dead letters of a job of the caller''s anew; how many.';

CREATE FUNCTION rag.revoke_read(collection text DEFAULT NULL::text, reader text DEFAULT NULL::text, document_id uuid DEFAULT NULL::uuid, readers text[] DEFAULT '{}'::text[], document_ids uuid[] DEFAULT '{}'::uuid[]) RETURNS boolean
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.change_readers(c.who, c.ticket, revoke_read.collection, array_remove((revoke_read.readers || revoke_read.reader), NULL::text), array_remove((revoke_read.document_ids || revoke_read.document_id), NULL::uuid), false) AS change_readers
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.revoke_read(collection text, reader text, document_id uuid, readers text[], document_ids uuid[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.revoke_read(collection text, reader text, document_id uuid, readers text[], document_ids uuid[]) IS 'Removes readers from a collection, or from documents by document_id or document_ids; whether that changed something. It holds from the next statement on, in every session. Documents with readers of their own are not touched by a collection.';

CREATE FUNCTION rag.revoke_unredacted(collection text, reader text) RETURNS boolean
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.change_unredacted(c.who, c.ticket, revoke_unredacted.collection, revoke_unredacted.reader, false) AS change_unredacted
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.revoke_unredacted(collection text, reader text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.revoke_unredacted(collection text, reader text) IS 'Ends what rag.grant_unredacted has begun; whether that changed something. For the owner of the collection and rag_admin.';

CREATE FUNCTION rag.revoke_write(collection text, writer text DEFAULT NULL::text, writers text[] DEFAULT '{}'::text[]) RETURNS boolean
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.change_writers(c.who, c.ticket, revoke_write.collection, array_remove((revoke_write.writers || revoke_write.writer), NULL::text), false) AS change_writers
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.revoke_write(collection text, writer text, writers text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.revoke_write(collection text, writer text, writers text[]) IS 'Removes writers from a collection; whether that changed something. An ingest that has begun goes through; the next one does not.';

CREATE FUNCTION rag_internal.check_rankings(rankings jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
    if jsonb_typeof(rankings) is distinct from 'object'
       or jsonb_path_exists(rankings, 'strict $.* ? (@.type() != "array")') then
        raise exception using
            errcode = '22023',
            message = 'rankings is not a JSON object of arrays',
            hint    = 'For example: {"mine": ["a", "b"], "theirs": ["b"]}.';
    end if;
    return rankings;
end
$_$;

ALTER FUNCTION rag_internal.check_rankings(rankings jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_rankings(rankings jsonb) IS 'The rankings; 22023 unless they are an object of arrays.';

CREATE FUNCTION rag_internal.check_weights(weights jsonb, defaults jsonb, rrf_k integer) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _weights jsonb := defaults || coalesce(weights, '{}');
    _hint text := format('Weights are numbers of 0 or more for %s, one of them above 0.',
                         (select string_agg(k, ', ' order by k)
                          from jsonb_object_keys(defaults) k));
begin
    if rrf_k is null or rrf_k < 0 then
        raise exception using
            errcode = '22023',
            message = format('rrf_k is %s', coalesce(rrf_k::text, 'null')),
            hint    = 'rrf_k is 0 or more; 60 is customary.';
    elsif jsonb_typeof(_weights) <> 'object' then
        raise exception using
            errcode = '22023',
            message = 'weights is not a JSON object',
            hint    = _hint;
    elsif exists (select from jsonb_object_keys(_weights) k where not defaults ? k) then
        raise exception using
            errcode = '22023',
            message = format('weights names an unknown ranking: %s',
                             (select left(k, 100) from jsonb_object_keys(_weights) k
                              where not defaults ? k limit 1)),
            hint    = _hint;
    end if;
    if exists (select from jsonb_each(_weights) w
               where case when jsonb_typeof(w.value) = 'number'
                          then not (w.value::numeric = 0
                                    or w.value::numeric between 1e-300 and 1e300)
                          else true end)
       or not exists (select from jsonb_each(_weights) w where w.value::numeric > 0) then
        raise exception using
            errcode = '22023',
            message = 'weights must be numbers of 0 or more, and one of them above 0',
            hint    = _hint;
    end if;
    return _weights;
end
$$;

ALTER FUNCTION rag_internal.check_weights(weights jsonb, defaults jsonb, rrf_k integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_weights(weights jsonb, defaults jsonb, rrf_k integer) IS 'weights over defaults; 22023 for an unknown ranking, for a negative, all zero or non-numeric weight, and for a negative rrf_k.';

CREATE FUNCTION rag_internal.reciprocal_rank(weight double precision, rrf_k integer, rank bigint) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select weight / (rrf_k::double precision + rank)
$$;

ALTER FUNCTION rag_internal.reciprocal_rank(weight double precision, rrf_k integer, rank bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.reciprocal_rank(weight double precision, rrf_k integer, rank bigint) IS 'weight / (k + rank), ranks from 1 (Cormack, Clarke, Buettcher: Reciprocal Rank Fusion, SIGIR 2009).';

CREATE FUNCTION rag.rrf(rankings jsonb, weights jsonb DEFAULT NULL::jsonb, rrf_k integer DEFAULT 60) RETURNS SETOF rag.fused
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 WITH given AS MATERIALIZED (
          SELECT rag_internal.check_rankings(rrf.rankings) AS rankings
         ), settings AS MATERIALIZED (
          SELECT rag_internal.check_weights(rrf.weights, ( SELECT COALESCE(jsonb_object_agg(k.k, 1), '{"": 1}'::jsonb) AS "coalesce"
                    FROM given g,
                     LATERAL jsonb_object_keys(g.rankings) k(k)), rrf.rrf_k) AS weights
         ), ranked AS (
          SELECT r.key AS ranking,
             i.id,
             min(i.rank) AS rank
            FROM given g,
             LATERAL jsonb_each(g.rankings) r(key, value),
             LATERAL jsonb_array_elements_text(r.value) WITH ORDINALITY i(id, rank)
           GROUP BY r.key, i.id
         ), fused AS (
          SELECT r.id,
             sum(rag_internal.reciprocal_rank(((s.weights ->> r.ranking))::double precision, rrf.rrf_k, r.rank) ORDER BY r.ranking) AS score,
             jsonb_object_agg(r.ranking, r.rank) AS ranks
            FROM ranked r,
             settings s
           WHERE (((s.weights ->> r.ranking))::double precision > (0)::double precision)
           GROUP BY r.id
         )
  SELECT (row_number() OVER (ORDER BY f.score DESC, (f.id COLLATE "C")))::integer AS row_number,
     f.score,
     f.id,
     f.ranks
    FROM fused f
   ORDER BY ((row_number() OVER (ORDER BY f.score DESC, (f.id COLLATE "C")))::integer);
END;

ALTER FUNCTION rag.rrf(rankings jsonb, weights jsonb, rrf_k integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.rrf(rankings jsonb, weights jsonb, rrf_k integer) IS 'Weighted reciprocal rank fusion of named rankings, best id first: {"mine": ["a", "b"], "theirs": ["b"]}. score = sum of weight / (rrf_k + rank) over the rankings that have the id; weights {"mine": 2} default to 1, and 0 leaves a ranking out. Source: Cormack, Clarke, Buettcher, SIGIR 2009.';

CREATE PROCEDURE rag.run_jobs(IN max_passages integer DEFAULT NULL::integer)
    LANGUAGE plpgsql
    AS $$
declare
    _claim_id uuid;
    _done integer := 0;
begin
    while max_passages is null or _done < max_passages loop
        _claim_id := rag.claim_job(least(32, max_passages - _done));
        commit;
        exit when _claim_id is null;
        _done := _done + greatest(rag.embed_claimed(_claim_id), 1);
        commit;
    end loop;
end
$$;

ALTER PROCEDURE rag.run_jobs(IN max_passages integer) OWNER TO rag_owner;

COMMENT ON PROCEDURE rag.run_jobs(IN max_passages integer) IS 'Embeds up to max_passages that wait (null: until none does), for jobs that the caller asked for; all, for who sees everything. It commits as it goes, so call it outside a transaction.';

CREATE PROCEDURE rag.scrub(IN timeout interval DEFAULT '00:01:00'::interval)
    LANGUAGE plpgsql
    AS $$
declare
    _step text;
    _last text;
    _deadline timestamptz;
begin
    loop
        if _step is distinct from 'older snapshots' then
            _deadline := clock_timestamp() + timeout;
        end if;
        _step := rag.scrub_step(_step, _deadline);
        commit;
        exit when _step is null;
        if _step is distinct from _last then
            raise notice 'scrubbed: %', _step;
        end if;
        _last := _step;
    end loop;
end
$$;

ALTER PROCEDURE rag.scrub(IN timeout interval) OWNER TO rag_owner;

COMMENT ON PROCEDURE rag.scrub(IN timeout interval) IS 'Rewrites the lexical index without what is dead in it, then every table with texts or vectors, and its indexes: searches wait while theirs is written. It commits after each, so call it outside a transaction. timeout: how long it waits for older transactions, which would keep what they can still see (55000). After the next checkpoint the files are gone.';

CREATE FUNCTION rag_internal.scrub_step(who name, ticket bytea, done text, deadline timestamp with time zone, holders text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _next text;
begin
    perform rag_internal.require_admin(rag_internal.authenticate(who, ticket), 'scrub');
    perform rag_internal.require_read_committed('rag.scrub');

    if done is null then
        perform rag_internal.bury_strays(null);
        return 'lexical index';
    elsif done = 'lexical index' then
        if rag_internal.purge_segment() then
            return 'lexical index';
        end if;
        perform rag_internal.prune_words();
        insert into rag_internal.scrub_probe select n from generate_series(1, 10) n
        on conflict do nothing;
        return 'words';
    elsif done = 'words' then
        delete from rag_internal.scrub_probe;
        return 'older snapshots';
    elsif done = 'older snapshots' and rag_internal.is_kept_by_snapshot() then
        if clock_timestamp() >= deadline then
            raise exception using
                errcode = '55000',
                message = 'what was deleted is still visible to an older transaction',
                detail  = coalesce(holders, 'Who has it is not shown to you.'),
                hint    = 'End it (commit, rollback, pg_terminate_backend; rollback prepared; '
                          'pg_drop_replication_slot), or give rag.scrub a longer timeout; then '
                          'call it again.';
        end if;
        perform pg_sleep(0.1);
        return 'older snapshots';
    end if;

    select c.relname into _next
    from pg_class c
    where c.relnamespace = 'rag_internal'::regnamespace and c.relkind = 'r'
      and c.relowner = 'rag_owner'::regrole
      -- what this statement reads itself, a random number
      and c.relname not in ('ticket_key', 'scrub_probe')
      and c.relname > case when done like 'table %' then substr(done, 7) else '' end
          collate "C"
    order by c.relname collate "C"
    limit 1;
    if found then
        perform rag_internal.rewrite_table(_next);
        return 'table ' || _next;
    end if;
    perform rag_internal.warn_of_statistics();
    return null;
end
$$;

ALTER FUNCTION rag_internal.scrub_step(who name, ticket bytea, done text, deadline timestamp with time zone, holders text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.scrub_step(who name, ticket bytea, done text, deadline timestamp with time zone, holders text) IS 'See rag.scrub_step.';

CREATE FUNCTION rag.scrub_step(done text DEFAULT NULL::text, deadline timestamp with time zone DEFAULT now()) RETURNS text
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.scrub_step(c.who, c.ticket, scrub_step.done, scrub_step.deadline, ( SELECT string_agg(h.holder, '; '::text ORDER BY h.age DESC) AS string_agg
            FROM ( SELECT GREATEST(age(a.backend_xmin), age(a.backend_xid)) AS age,
                     format('pid %s (%s, %s, %s)'::text, a.pid, COALESCE(a.usename, (a.backend_type)::name), COALESCE(a.state, '-'::text), COALESCE(a.datname, '-'::name)) AS holder
                    FROM pg_stat_activity a
                   WHERE ((a.pid <> pg_backend_pid()) AND (((a.backend_xmin IS NOT NULL) AND ((a.datname = current_database()) OR (a.datname IS NULL))) OR (a.backend_xid IS NOT NULL)))
                 UNION ALL
                  SELECT age(p.transaction) AS age,
                     format('prepared transaction %L'::text, p.gid) AS format
                    FROM pg_prepared_xacts p
                 UNION ALL
                  SELECT age(s.xmin) AS age,
                     format('replication slot %L'::text, s.slot_name) AS format
                    FROM pg_replication_slots s
                   WHERE (s.xmin IS NOT NULL)
           ORDER BY 1 DESC
          LIMIT 3) h)) AS scrub_step
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.scrub_step(done text, deadline timestamp with time zone) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.scrub_step(done text, deadline timestamp with time zone) IS 'Does the step after the one that is named (null: the first) and returns its name; null when there is none left. Commit after each. Before deadline it waits for older transactions, 0.1 s at a time; after that they are an error (55000). rag.scrub() does it all.';

CREATE FUNCTION rag.search(query text, collections text[] DEFAULT NULL::text[], top_k integer DEFAULT 10, strategy text DEFAULT NULL::text, filter jsonb DEFAULT NULL::jsonb, filter_path jsonpath DEFAULT NULL::jsonpath, vars jsonb DEFAULT NULL::jsonb, weights jsonb DEFAULT NULL::jsonb, rrf_k integer DEFAULT NULL::integer, skip integer DEFAULT 0, allow_degraded boolean DEFAULT false, query_vector public.vector DEFAULT NULL::public.vector, hyde_vector public.vector DEFAULT NULL::public.vector, min_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, max_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, as_of timestamp with time zone DEFAULT NULL::timestamp with time zone, include_archived boolean DEFAULT NULL::boolean, fusion text DEFAULT NULL::text, candidates integer DEFAULT NULL::integer, min_score double precision DEFAULT NULL::double precision, correct_typos boolean DEFAULT NULL::boolean, max_distance integer DEFAULT NULL::integer, rerank text DEFAULT NULL::text, rerank_candidates integer DEFAULT NULL::integer, rerank_optional boolean DEFAULT NULL::boolean, min_relevance double precision DEFAULT NULL::double precision, gate double precision DEFAULT NULL::double precision, mmr_lambda double precision DEFAULT NULL::double precision, collapse boolean DEFAULT NULL::boolean, max_per_document integer DEFAULT NULL::integer, expand text DEFAULT NULL::text, highlight boolean DEFAULT NULL::boolean, token text DEFAULT NULL::text) RETURNS SETOF rag.hit
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT h.rank,
     h.score,
     h.document_id,
     h.chunk_index,
     h.collection,
     h.source,
     h.title,
     h.heading,
     h.content,
     h.highlight,
     h.start_offset,
     h.end_offset,
     h.start_line,
     h.end_line,
     h.page,
     h.kind,
     h.metadata,
     h.semantic_rank,
     h.semantic_score,
     h.bm25_rank,
     h.bm25_score,
     h.fuzzy_rank,
     h.fuzzy_score,
     h.rerank_score,
     h.corrected_query,
     h.degraded,
     h.citation,
     h.version,
     h.matches,
     h.expanded,
     h.expanded_start,
     h.expanded_end
    FROM rag_internal.caller c,
     LATERAL rag_internal.search(c.who, c.ticket, search.token, rag_internal.search_request(search.query, search.collections, search.top_k, search.strategy, search.filter, search.filter_path, search.vars, search.weights, search.rrf_k, search.skip, search.allow_degraded, search.query_vector, search.hyde_vector, search.min_updated_at, search.max_updated_at, search.as_of, search.include_archived, search.fusion, search.candidates, search.min_score, search.correct_typos, search.max_distance, search.rerank, search.rerank_candidates, search.rerank_optional, search.min_relevance, search.gate, search.mmr_lambda, search.collapse, search.max_per_document, search.expand, search.highlight)) h(rank, score, document_id, chunk_index, collection, source, title, heading, content, highlight, start_offset, end_offset, start_line, end_line, page, kind, metadata, semantic_rank, semantic_score, bm25_rank, bm25_score, fuzzy_rank, fuzzy_score, rerank_score, corrected_query, degraded, citation, version, matches, expanded, expanded_start, expanded_end);
END;

ALTER FUNCTION rag.search(query text, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, skip integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, highlight boolean, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.search(query text, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, skip integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, highlight boolean, token text) IS 'The top_k best passages, after skip of them. Arguments left null: what search_defaults of the collections say where they agree, else the built-in. collections null: all that the caller sees; a missing and a hidden one are the same P0002. strategy: hybrid (also combined, rrf), semantic (dense, vector), bm25 (lexical, sparse), fuzzy (approximate). fusion: rrf (weights semantic 0.6, bm25 0.3, fuzzy 0.1; rrf_k 60), linear (0.7, 0.3, 0), convex (0.4, 0.6, 0). candidates: how deep each leg looks at least (100). min_score: least score of the leg, in a hybrid least similarity of the semantic leg. filter: JSON that the document''s attributes contain; filter_path with vars: a jsonpath predicate over them; min_updated_at, max_updated_at: of the document. as_of: what was valid and newest then; include_archived: archived documents, old versions and what is not valid too. query_vector: the vector of the query by the model of the collections searched, scaled to unit length here; with strategy semantic the query may then be null. hyde_vector: that of an imagined answer, a further leg. correct_typos: all legs look for the corrected words; max_distance: of a correction (2). rerank: a reranker by name (none: no), of rerank_candidates (4 top_k) passages; rerank_optional: without it the order stays and degraded says so; min_relevance, gate: least rerank_score of a hit, and of the mean of the page, below which nothing is returned (0 to 1). mmr_lambda: 1 relevance, 0 variety; collapse: equal texts once (with mmr_lambda unless said); max_per_document. expand: chunk, section, neighbours, into expanded. highlight: marks what matched. allow_degraded: answer without a leg whose model is missing, and say so in degraded, instead of 55000. token: a signed token that says who asks. What was asked and shown is recorded, see rag.configure_search_log.';

CREATE FUNCTION rag_internal.search_multi(who name, ticket bytea, token text, request rag_internal.search_request, max_hops integer, threshold double precision) RETURNS SETOF rag.hit
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _result rag_internal.retrieval := rag_internal.answer(rag_internal.retrieve_multi(
        rag_internal.authenticate(who, ticket, token), request, search_multi.max_hops,
        search_multi.threshold));
begin
    return query select h.* from unnest(_result.hits) h;
end
$$;

ALTER FUNCTION rag_internal.search_multi(who name, ticket bytea, token text, request rag_internal.search_request, max_hops integer, threshold double precision) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.search_multi(who name, ticket bytea, token text, request rag_internal.search_request, max_hops integer, threshold double precision) IS 'See rag.search_multi.';

CREATE FUNCTION rag.search_multi(query text, collections text[] DEFAULT NULL::text[], top_k integer DEFAULT 10, max_hops integer DEFAULT 2, threshold double precision DEFAULT NULL::double precision, strategy text DEFAULT NULL::text, filter jsonb DEFAULT NULL::jsonb, filter_path jsonpath DEFAULT NULL::jsonpath, vars jsonb DEFAULT NULL::jsonb, min_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, max_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, as_of timestamp with time zone DEFAULT NULL::timestamp with time zone, include_archived boolean DEFAULT NULL::boolean, rerank text DEFAULT NULL::text, rerank_optional boolean DEFAULT NULL::boolean, allow_degraded boolean DEFAULT false, token text DEFAULT NULL::text) RETURNS SETOF rag.hit
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT h.rank,
     h.score,
     h.document_id,
     h.chunk_index,
     h.collection,
     h.source,
     h.title,
     h.heading,
     h.content,
     h.highlight,
     h.start_offset,
     h.end_offset,
     h.start_line,
     h.end_line,
     h.page,
     h.kind,
     h.metadata,
     h.semantic_rank,
     h.semantic_score,
     h.bm25_rank,
     h.bm25_score,
     h.fuzzy_rank,
     h.fuzzy_score,
     h.rerank_score,
     h.corrected_query,
     h.degraded,
     h.citation,
     h.version,
     h.matches,
     h.expanded,
     h.expanded_start,
     h.expanded_end
    FROM rag_internal.caller c,
     LATERAL rag_internal.search_multi(c.who, c.ticket, search_multi.token, rag_internal.search_request(search_multi.query, search_multi.collections, search_multi.top_k, search_multi.strategy, search_multi.filter, search_multi.filter_path, search_multi.vars, allow_degraded => search_multi.allow_degraded, min_updated_at => search_multi.min_updated_at, max_updated_at => search_multi.max_updated_at, as_of => search_multi.as_of, include_archived => search_multi.include_archived, rerank => search_multi.rerank, rerank_optional => search_multi.rerank_optional, expand => 'chunk'::text, highlight => false), search_multi.max_hops, search_multi.threshold) h(rank, score, document_id, chunk_index, collection, source, title, heading, content, highlight, start_offset, end_offset, start_line, end_line, page, kind, metadata, semantic_rank, semantic_score, bm25_rank, bm25_score, fuzzy_rank, fuzzy_score, rerank_score, corrected_query, degraded, citation, version, matches, expanded, expanded_start, expanded_end);
END;

ALTER FUNCTION rag.search_multi(query text, collections text[], top_k integer, max_hops integer, threshold double precision, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, rerank text, rerank_optional boolean, allow_degraded boolean, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.search_multi(query text, collections text[], top_k integer, max_hops integer, threshold double precision, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, rerank text, rerank_optional boolean, allow_degraded boolean, token text) IS 'Searches for each part of a question (rag.decompose_query) and merges the lists by reciprocal rank fusion. Where the best score of a part is below the threshold (of rerank_score, by default 0.5; where nothing is reranked of semantic_score, by default 0.35; where there is neither, a matching word is enough), it asks again with the identifiers, types and files that the first hits name, at most max_hops times (0 to 10); each of these lists counts a quarter. strategy null: that of each part. Dates in the question narrow min_updated_at and max_updated_at. The other arguments are those of rag.search. Recorded as one search.';

CREATE FUNCTION rag_internal.search_status(who name, ticket bytea, token text) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
begin
    return rag_internal.noted_search_status(rag_internal.authenticate(who, ticket, token));
end
$$;

ALTER FUNCTION rag_internal.search_status(who name, ticket bytea, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.search_status(who name, ticket bytea, token text) IS 'See rag.search_status.';

CREATE FUNCTION rag.search_status(token text DEFAULT NULL::text) RETURNS text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT rag_internal.search_status(c.who, c.ticket, search_status.token) AS search_status
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.search_status(token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.search_status(token text) IS 'How the last search of this session ended: found; no match; past the end (of the pages); abstained (the reranked passages are below the gate); nothing visible (the caller can read nothing in the collections searched). Null before the first search, and for another identity than the one that searched.';

CREATE FUNCTION rag.semantic_search(query text, collections text[] DEFAULT NULL::text[], top_k integer DEFAULT 10, filter jsonb DEFAULT NULL::jsonb, filter_path jsonpath DEFAULT NULL::jsonpath, vars jsonb DEFAULT NULL::jsonb, skip integer DEFAULT 0, query_vector public.vector DEFAULT NULL::public.vector, min_score double precision DEFAULT NULL::double precision, min_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, max_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, as_of timestamp with time zone DEFAULT NULL::timestamp with time zone, include_archived boolean DEFAULT NULL::boolean, highlight boolean DEFAULT NULL::boolean, token text DEFAULT NULL::text) RETURNS SETOF rag.hit
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT h.rank,
     h.score,
     h.document_id,
     h.chunk_index,
     h.collection,
     h.source,
     h.title,
     h.heading,
     h.content,
     h.highlight,
     h.start_offset,
     h.end_offset,
     h.start_line,
     h.end_line,
     h.page,
     h.kind,
     h.metadata,
     h.semantic_rank,
     h.semantic_score,
     h.bm25_rank,
     h.bm25_score,
     h.fuzzy_rank,
     h.fuzzy_score,
     h.rerank_score,
     h.corrected_query,
     h.degraded,
     h.citation,
     h.version,
     h.matches,
     h.expanded,
     h.expanded_start,
     h.expanded_end
    FROM rag_internal.caller c,
     LATERAL rag_internal.search(c.who, c.ticket, semantic_search.token, rag_internal.search_request(query => semantic_search.query, strategy => 'semantic'::text, collections => semantic_search.collections, top_k => semantic_search.top_k, filter => semantic_search.filter, filter_path => semantic_search.filter_path, vars => semantic_search.vars, skip => semantic_search.skip, query_vector => semantic_search.query_vector, min_score => semantic_search.min_score, min_updated_at => semantic_search.min_updated_at, max_updated_at => semantic_search.max_updated_at, as_of => semantic_search.as_of, include_archived => semantic_search.include_archived, highlight => semantic_search.highlight)) h(rank, score, document_id, chunk_index, collection, source, title, heading, content, highlight, start_offset, end_offset, start_line, end_line, page, kind, metadata, semantic_rank, semantic_score, bm25_rank, bm25_score, fuzzy_rank, fuzzy_score, rerank_score, corrected_query, degraded, citation, version, matches, expanded, expanded_start, expanded_end);
END;

ALTER FUNCTION rag.semantic_search(query text, collections text[], top_k integer, filter jsonb, filter_path jsonpath, vars jsonb, skip integer, query_vector public.vector, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, highlight boolean, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.semantic_search(query text, collections text[], top_k integer, filter jsonb, filter_path jsonpath, vars jsonb, skip integer, query_vector public.vector, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, highlight boolean, token text) IS 'The top_k passages nearest to the query by vector; score is the similarity (cosine 1 - d, L2 1 / (1 + d), inner product -d). With query_vector the query may be null. Arguments as in rag.search.';

CREATE FUNCTION rag_internal.set_embeddings(who name, ticket bytea, document_id uuid, embeddings public.vector[], model text, content_hash bytea) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _document rag_internal.document := rag_internal.owned_document(
        rag_internal.authenticate(who, ticket), set_embeddings.document_id, false);
    _collection rag_internal.collection;
    _model rag_internal.model;
    _chunks integer;
    _job_ids bigint[];
    _written integer;
begin
    select k.* into _collection from rag_internal.collection k
    where k.collection_id = _document.collection_id;
    select m.* into _model
    from rag_internal.model m
    where case when set_embeddings.model is null then m.model_id = _collection.model_id
               else m.name = set_embeddings.model end
      and (m.model_id = _collection.model_id
           or m.model_id in (select n.model_id from rag_internal.collection_model n
                             where n.collection_id = _collection.collection_id));
    if not found then
        raise exception using
            errcode = '22023',
            message = format('collection "%s" keeps no vectors under %s', _collection.name,
                             coalesce(format('model "%s"', set_embeddings.model), 'a model')),
            hint    = 'rag.prepare_model(collection, model) makes it keep them.';
    elsif set_embeddings.content_hash <> _document.content_hash then
        raise exception using
            errcode = '40001',
            message = format('document "%s" has changed since its passages were read',
                             _document.source),
            hint    = 'Read its passages with rag.get_chunks again, and embed those.';
    end if;
    select count(*) into _chunks from rag_internal.chunk c
    where c.document_id = _document.document_id;
    if coalesce(cardinality(embeddings), 0) <> _chunks then
        raise exception using
            errcode = '22023',
            message = format('%s vectors for the %s passages of document %s',
                             coalesce(cardinality(embeddings), 0), _chunks, _document.document_id),
            hint    = 'One for each row of rag.get_chunks(document_id), in its order; null leaves '
                      'a passage as it is.';
    end if;

    with given as materialized (
        select c.chunk_id, rag_internal.embed_hash(_model.revision,
                                                   coalesce(c.embed_text, c.content)) as embed_hash,
               rag_internal.check_vector(n.v, _model, format('vector %s', n.number)) as v
        from unnest(embeddings) with ordinality n (v, number)
        join (select c.*, row_number() over (order by c.chunk_index) as number
              from rag_internal.chunk c
              where c.document_id = _document.document_id) c using (number)
        where n.v is not null
    ), stored as (
        insert into rag_internal.embedding (model_id, chunk_id, acl_id, collection_id, embed_hash,
                                            v, full_v)
        select _model.model_id, g.chunk_id, _document.acl_id, _document.collection_id,
               g.embed_hash,
               case when _model.storage = 'halfvec' then g.v::"public".halfvec end,
               case when _model.storage = 'vector' then g.v end
        from given g
        on conflict on constraint embedding_pkey do update
        set embed_hash = excluded.embed_hash, v = excluded.v, full_v = excluded.full_v
        returning chunk_id
    ), settled as (
        delete from rag_internal.embedding_task t
        using given g
        where t.model_id = _model.model_id and t.chunk_id = g.chunk_id
        returning t.job_id
    )
    select (select count(*) from stored), (select array_agg(distinct s.job_id) from settled s)
    into _written, _job_ids;
    perform rag_internal.finish_jobs(_job_ids);
    return _written;
end
$$;

ALTER FUNCTION rag_internal.set_embeddings(who name, ticket bytea, document_id uuid, embeddings public.vector[], model text, content_hash bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.set_embeddings(who name, ticket bytea, document_id uuid, embeddings public.vector[], model text, content_hash bytea) IS 'See rag.set_embeddings.';

CREATE FUNCTION rag.set_embeddings(document_id uuid, embeddings public.vector[], model text DEFAULT NULL::text, content_hash bytea DEFAULT NULL::bytea) RETURNS integer
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.set_embeddings(c.who, c.ticket, set_embeddings.document_id, set_embeddings.embeddings, set_embeddings.model, set_embeddings.content_hash) AS set_embeddings
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.set_embeddings(document_id uuid, embeddings public.vector[], model text, content_hash bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.set_embeddings(document_id uuid, embeddings public.vector[], model text, content_hash bytea) IS 'One vector for each passage in the order of rag.get_chunks (null: leave as it is), scaled to length 1, under a model that the collection keeps (null: the one it is searched by); how many were stored. content_hash: that of the document when its passages were read, 40001 where it is another by now. Other dimensions or counts are 22023.';

CREATE FUNCTION rag_internal.set_identity(who name, ticket bytea, token text) RETURNS rag.identity
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
begin
    if coalesce(set_identity.token, '') = '' then
        raise exception using
            errcode = '28000',
            message = 'token refused: there is none',
            hint    = 'Give a signed token; reset rag.token goes back to the role.';
    end if;
    perform rag_internal.authenticate(who, ticket, set_identity.token);
    perform set_config('rag.token', set_identity.token, true);
    return rag_internal.whoami(who, ticket, null);
end
$$;

ALTER FUNCTION rag_internal.set_identity(who name, ticket bytea, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.set_identity(who name, ticket bytea, token text) IS 'See rag.set_identity.';

CREATE FUNCTION rag.set_identity(token text) RETURNS SETOF rag.identity
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT i.identity,
     i.source,
     i.principals,
     i.tenant,
     i.clearance,
     i.sees_everything,
     i.why
    FROM rag_internal.caller c,
     LATERAL rag_internal.set_identity(c.who, c.ticket, set_identity.token) i(identity, source, principals, tenant, clearance, sees_everything, why);
END;

ALTER FUNCTION rag.set_identity(token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.set_identity(token text) IS 'Verifies the token and makes it the setting rag.token of the transaction: what is asked in it from now on is asked by whom the token names. Outside a transaction block it ends with the statement. Returns that identity; 28000 for a token that does not verify.';

CREATE FUNCTION rag_internal.set_model(who name, ticket bytea, collection text, model text, allow_failed boolean) RETURNS rag.collection_info
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection rag_internal.collection;
    _model rag_internal.model;
    _missing bigint;
    _failed bigint;
    _info rag.collection_info;
begin
    perform rag_internal.require_read_committed('rag.set_model');
    perform rag_internal.require_visible_text('model', set_model.model);
    _collection := rag_internal.own_collection(_identity, set_model.collection, true);
    if set_model.model <> 'none' then
        _model := rag_internal.usable_model(set_model.model);
    end if;
    if _model.model_id is distinct from _collection.model_id then
        select p.passages - p.embedded, p.failed into _missing, _failed
        from rag_internal.model_progress(_collection, _model.model_id) p
        where _model.model_id is not null;
        if _missing > (case when coalesce(allow_failed, false) then _failed else 0 end) then
            raise exception using
                errcode = '55000',
                message = format('%s passages of collection "%s" have no vector under model "%s"',
                                 _missing, _collection.name, _model.name),
                detail  = format('%s of them were given up.', _failed),
                hint    = case when _model.provider = 'external'
                               then 'rag.prepare_model(collection, model), and then '
                                    'rag.set_embeddings(document_id, embeddings, model) for each '
                                    'document.'
                               else 'rag.prepare_model(collection, model) queues them, call '
                                    'rag.run_jobs() or `ragsql worker` embeds them, '
                                    'rag.model_progress(collection) tells how far they are; '
                                    'allow_failed => true does without those that were given up.'
                          end;
        end if;
        insert into rag_internal.collection_model (collection_id, model_id)
        select _collection.collection_id, _collection.model_id
        where _collection.model_id is not null
        on conflict on constraint collection_model_pkey do nothing;
        delete from rag_internal.collection_model n
        where n.collection_id = _collection.collection_id and n.model_id = _model.model_id;
        update rag_internal.collection k
        set model_id = _model.model_id, updated_at = now()
        where k.collection_id = _collection.collection_id;
    end if;
    select i.* into _info from rag_internal.collection_info(_identity, array[_collection.name]) i;
    return _info;
end
$$;

ALTER FUNCTION rag_internal.set_model(who name, ticket bytea, collection text, model text, allow_failed boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.set_model(who name, ticket bytea, collection text, model text, allow_failed boolean) IS 'See rag.set_model.';

CREATE FUNCTION rag.set_model(collection text, model text, allow_failed boolean DEFAULT false) RETURNS rag.collection_info
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.set_model(c.who, c.ticket, set_model.collection, set_model.model, set_model.allow_failed) AS set_model
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.set_model(collection text, model text, allow_failed boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.set_model(collection text, model text, allow_failed boolean) IS 'From this statement on the collection is searched by the model; the former one is kept in step, so that this can be taken back, until rag.release_model. 55000 while passages lack a vector under the new one (allow_failed: those that were given up do not count). none: no semantic search. Owner or rag_admin only.';

CREATE FUNCTION rag_internal.set_readers(who name, ticket bytea, collection text, readers text[], document_ids uuid[], security_level integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection rag_internal.collection;
    _document rag_internal.document;
    _document_id uuid;
    _acl_id bigint;
    _level integer := security_level;
    _changed boolean := false;
begin
    perform rag_internal.check_grant(set_readers.collection, document_ids, null);
    perform rag_internal.check_security_level(_level);
    if _level > _identity.clearance and not _identity.sees_everything then
        raise warning 'you will not read it yourself: the level is %, your clearance %', _level,
            _identity.clearance;
    end if;
    if set_readers.collection is not null then
        return rag_internal.set_collection_readers(
            rag_internal.own_collection(_identity, set_readers.collection, true), readers, _level);
    end if;

    perform rag_internal.lock_collections(_identity, document_ids);
    for _document_id in select distinct d from unnest(document_ids) d order by d loop
        _document := rag_internal.owned_document(_identity, _document_id, true);
        select k.* into _collection from rag_internal.collection k
        where k.collection_id = _document.collection_id;
        _acl_id := coalesce(
            rag_internal.document_acl(_collection, readers, _level,
                                      (select a from rag_internal.acl a
                                       where a.acl_id = _document.acl_id)),
            _collection.acl_id);
        if _acl_id <> _document.acl_id then
            update rag_internal.document d set acl_id = _acl_id
            where d.document_id = _document_id;
            perform rag_internal.keep_up_index(_document);
            _changed := true;
        end if;
    end loop;
    return _changed;
end
$$;

ALTER FUNCTION rag_internal.set_readers(who name, ticket bytea, collection text, readers text[], document_ids uuid[], security_level integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.set_readers(who name, ticket bytea, collection text, readers text[], document_ids uuid[], security_level integer) IS 'See rag.set_readers.';

CREATE FUNCTION rag.set_readers(collection text DEFAULT NULL::text, readers text[] DEFAULT NULL::text[], document_id uuid DEFAULT NULL::uuid, security_level integer DEFAULT NULL::integer, document_ids uuid[] DEFAULT '{}'::uuid[]) RETURNS boolean
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.set_readers(c.who, c.ticket, set_readers.collection, set_readers.readers, array_remove((set_readers.document_ids || set_readers.document_id), NULL::uuid), set_readers.security_level) AS set_readers
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.set_readers(collection text, readers text[], document_id uuid, security_level integer, document_ids uuid[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.set_readers(collection text, readers text[], document_id uuid, security_level integer, document_ids uuid[]) IS 'Exactly these readers (role:NAME, user:NAME, group:NAME, public) and this security level, of a collection (its owner reads it too) or of documents. Null leaves either as it is; both null bring documents back under their collection. Whether that changed something.';

CREATE FUNCTION rag_internal.set_user(who name, ticket bytea, user_name text, groups text[], tenant text, clearance integer) RETURNS rag.identity
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
begin
    if set_user.clearance not between 0 and 32767 then
        raise exception using
            errcode = '22023',
            message = format('clearance is %s, but must be 0 to 32767', set_user.clearance),
            hint    = 'It is the highest security level that the user reads.';
    end if;
    perform set_config('rag.token', '', true),
            set_config('rag.user', coalesce(set_user.user_name, ''), true),
            set_config('rag.groups',
                       coalesce(nullif(array_remove(set_user.groups, null), '{}')::text, ''),
                       true),
            set_config('rag.tenant', coalesce(set_user.tenant, ''), true),
            set_config('rag.clearance', coalesce(set_user.clearance, 0)::text, true);
    perform rag_internal.authenticate(who, ticket);
    if not pg_has_role(who, 'rag_service', 'usage') then
        raise exception using
            errcode = '42501',
            message = 'only a trusted service may say for whom it asks',
            hint    = 'grant rag_service to ...; or use a token: rag.set_identity(...).';
    end if;
    return rag_internal.whoami(who, ticket, null);
end
$$;

ALTER FUNCTION rag_internal.set_user(who name, ticket bytea, user_name text, groups text[], tenant text, clearance integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.set_user(who name, ticket bytea, user_name text, groups text[], tenant text, clearance integer) IS 'See rag.set_user.';

CREATE FUNCTION rag.set_user(user_name text, groups text[] DEFAULT '{}'::text[], tenant text DEFAULT ''::text, clearance integer DEFAULT 0) RETURNS SETOF rag.identity
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT i.identity,
     i.source,
     i.principals,
     i.tenant,
     i.clearance,
     i.sees_everything,
     i.why
    FROM rag_internal.caller c,
     LATERAL rag_internal.set_user(c.who, c.ticket, set_user.user_name, set_user.groups, set_user.tenant, set_user.clearance) i(identity, source, principals, tenant, clearance, sees_everything, why);
END;

ALTER FUNCTION rag.set_user(user_name text, groups text[], tenant text, clearance integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.set_user(user_name text, groups text[], tenant text, clearance integer) IS 'For roles with usage of rag_service, others are 42501: what is asked in this transaction from now on is asked by this user (null or empty: by the groups alone; without groups either: by nobody). Sets rag.user, rag.groups, rag.tenant and rag.clearance of the transaction, and takes back rag.token. Outside a transaction block it ends with the statement.';

CREATE FUNCTION rag.similarity(distance double precision, metric text) RETURNS double precision
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if metric not in ('cosine', 'l2', 'inner_product') then
        raise exception using
            errcode = '22023',
            message = format('unknown metric "%s"', metric),
            hint    = 'Known metrics: cosine, l2, inner_product.';
    end if;
    return case metric when 'cosine' then 1 - distance
                       when 'l2' then 1 / (1 + greatest(distance, 0))
                       else 0 - distance end;
end
$$;

ALTER FUNCTION rag.similarity(distance double precision, metric text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.similarity(distance double precision, metric text) IS 'A distance as a similarity, the higher the nearer: cosine 1 - d, l2 1 / (1 + d), inner_product -d (pgvector''s <#> is negative).';

CREATE FUNCTION rag_internal.unload_model(who name, ticket bytea) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
begin
    perform rag_internal.authenticate(who, ticket);
    return rag_internal.unload_models();
end
$$;

ALTER FUNCTION rag_internal.unload_model(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.unload_model(who name, ticket bytea) IS 'See rag.unload_model.';

CREATE FUNCTION rag.unload_model() RETURNS integer
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.unload_model(c.who, c.ticket) AS unload_model
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.unload_model() OWNER TO rag_owner;

COMMENT ON FUNCTION rag.unload_model() IS 'Drops the embedding models that this session has loaded, and frees its slot for another session; how many there were. The next use loads again.';

CREATE FUNCTION rag_internal.update_document(who name, ticket bytea, document_id uuid, title text, tags text[], metadata jsonb, status text, valid_from timestamp with time zone, valid_until timestamp with time zone) RETURNS rag.ingested
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _old rag_internal.document := rag_internal.owned_document(
        _identity, update_document.document_id, false, or_write => true);
    _new rag_internal.document := _old;
begin
    _new.title := coalesce(update_document.title, _old.title);
    _new.tags := coalesce(update_document.tags, _old.tags);
    _new.metadata := coalesce(update_document.metadata, _old.metadata);
    _new.status := coalesce(update_document.status, _old.status);
    _new.valid_from := coalesce(update_document.valid_from, _old.valid_from);
    _new.valid_until := coalesce(update_document.valid_until, _old.valid_until);
    perform rag_internal.check_document(_new);
    if _new = _old then
        return rag_internal.ingested(_old, 'unchanged', 0, null, _identity);
    end if;

    _new.updated_at := now();
    _new.attributes := rag_internal.attributes(_new);
    update rag_internal.document d
    set title = _new.title, tags = _new.tags, metadata = _new.metadata, status = _new.status,
        valid_from = _new.valid_from, valid_until = _new.valid_until, attributes = _new.attributes,
        updated_at = _new.updated_at
    where d.document_id = _new.document_id;
    return rag_internal.ingested(_new, 'updated', 0, null, _identity);
end
$$;

ALTER FUNCTION rag_internal.update_document(who name, ticket bytea, document_id uuid, title text, tags text[], metadata jsonb, status text, valid_from timestamp with time zone, valid_until timestamp with time zone) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.update_document(who name, ticket bytea, document_id uuid, title text, tags text[], metadata jsonb, status text, valid_from timestamp with time zone, valid_until timestamp with time zone) IS 'See rag.update_document.';

CREATE FUNCTION rag.update_document(document_id uuid, title text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], metadata jsonb DEFAULT NULL::jsonb, status text DEFAULT NULL::text, valid_from timestamp with time zone DEFAULT NULL::timestamp with time zone, valid_until timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS rag.ingested
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.update_document(c.who, c.ticket, update_document.document_id, update_document.title, update_document.tags, update_document.metadata, update_document.status, update_document.valid_from, update_document.valid_until) AS update_document
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.update_document(document_id uuid, title text, tags text[], metadata jsonb, status text, valid_from timestamp with time zone, valid_until timestamp with time zone) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.update_document(document_id uuid, title text, tags text[], metadata jsonb, status text, valid_from timestamp with time zone, valid_until timestamp with time zone) IS 'Changes what is given; null leaves as it is (infinity lifts a valid_until). The text stays, and so do its vectors. An archived document is not searched. P0002 where the caller sees no such document, 42501 where it may only read it.';

CREATE FUNCTION rag_internal.verify_index(who name, ticket bytea, collection text) RETURNS SETOF rag.index_difference
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    -- of documents that the caller cannot see it is silent; what is no document's, is nobody's
    return query
        select i.*
        from rag_internal.index_differences(rag_internal.own_collection(
                 _identity, verify_index.collection, null)) i
        left join rag_internal.document d using (document_id)
        where d.document_id is null
           or d.acl_id in (select rag_internal.visible_acls(_identity));
end
$$;

ALTER FUNCTION rag_internal.verify_index(who name, ticket bytea, collection text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.verify_index(who name, ticket bytea, collection text) IS 'See rag.verify_index.';

CREATE FUNCTION rag.verify_index(collection text) RETURNS SETOF rag.index_difference
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT d.kind,
     d.document_id,
     d.chunk_index,
     d.detail
    FROM rag_internal.caller c,
     LATERAL rag_internal.verify_index(c.who, c.ticket, verify_index.collection) d(kind, document_id, chunk_index, detail);
END;

ALTER FUNCTION rag.verify_index(collection text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.verify_index(collection text) IS 'Analyses the passages of a collection anew and reports where the lexical index differs: no row means none. The collection must be the caller''s own. rag.rebuild_index mends what is reported.';

CREATE FUNCTION rag_internal.wait_for(who name, ticket bytea, job_id bigint, timeout interval) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _until timestamptz := clock_timestamp() + coalesce(timeout, '60 seconds');
    _pause double precision := 0.02;
    _status text;
begin
    if wait_for.job_id is null then
        return 'done';  -- an ingest that left nothing to embed
    end if;
    perform rag_internal.require_read_committed('rag.wait_for');
    perform rag_internal.own_job(_identity, wait_for.job_id);
    if exists (select from rag_internal.job j
               where j.job_id = wait_for.job_id
                 -- made in this transaction, or in a savepoint of it
                 and j.created_at = now()
                 and j.status = 'queued') then
        raise exception using
            errcode = '55000',
            message = format('job %s was made in this transaction: nobody sees it yet',
                             wait_for.job_id),
            hint    = 'Commit, then wait.';
    end if;
    loop
        select case when j.status in ('queued', 'running')
                         and not exists (select from rag_internal.embedding_task t
                                         where t.job_id = j.job_id and not t.is_dead)
                    then case when exists (select from rag_internal.embedding_task t
                                           where t.job_id = j.job_id)
                              then 'failed' else 'done' end
                    else j.status end
        into _status
        from rag_internal.job j where j.job_id = wait_for.job_id;
        exit when coalesce(_status, 'cancelled') not in ('queued', 'running')
               or clock_timestamp() >= _until;
        perform pg_sleep(least(_pause,
                               extract(epoch from _until - clock_timestamp())));
        _pause := least(_pause * 1.5, 1);
    end loop;
    return coalesce(_status, 'cancelled');
end
$$;

ALTER FUNCTION rag_internal.wait_for(who name, ticket bytea, job_id bigint, timeout interval) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.wait_for(who name, ticket bytea, job_id bigint, timeout interval) IS 'See rag.wait_for.';

CREATE FUNCTION rag.wait_for(job_id bigint, timeout interval DEFAULT '00:01:00'::interval) RETURNS text
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT rag_internal.wait_for(c.who, c.ticket, wait_for.job_id, wait_for.timeout) AS wait_for
    FROM rag_internal.caller c;
END;

ALTER FUNCTION rag.wait_for(job_id bigint, timeout interval) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.wait_for(job_id bigint, timeout interval) IS 'The status of the job once it has ended (done, failed, cancelled; null: done), or after the timeout (queued, running). At read committed, and in a transaction after the one that made the job; who would rather not hold a connection LISTENs on the channel ragsql_job_ and its id.';

CREATE FUNCTION rag_internal.whoami(who name, ticket bytea, token text) RETURNS rag.identity
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
    select coalesce(case when i.source = 'database role' then i.who else i.reader end, 'nobody'),
           i.source,
           array(select n.kind || case n.kind when 'public' then '' else ':' || n.name end
                 from rag_internal.identity_names(i) n
                 order by 1),
           i.tenant,
           i.clearance::integer,
           i.sees_everything,
           i.why
    from rag_internal.authenticate(who, ticket, token) i
$$;

ALTER FUNCTION rag_internal.whoami(who name, ticket bytea, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.whoami(who name, ticket bytea, token text) IS 'See rag.whoami.';

CREATE FUNCTION rag.whoami(token text DEFAULT NULL::text) RETURNS SETOF rag.identity
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT i.identity,
     i.source,
     i.principals,
     i.tenant,
     i.clearance,
     i.sees_everything,
     i.why
    FROM rag_internal.caller c,
     LATERAL rag_internal.whoami(c.who, c.ticket, whoami.token) i(identity, source, principals, tenant, clearance, sees_everything, why);
END;

ALTER FUNCTION rag.whoami(token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag.whoami(token text) IS 'The caller''s identity and where it comes from: a token, a trusted service''s settings or the database role; the principals it can be granted through, its tenant and clearance, and whether access rules apply to it at all. 28000 for a token that does not verify.';

CREATE TABLE rag_internal.model (
    model_id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    kind text DEFAULT 'embedding'::text NOT NULL,
    provider text DEFAULT 'fastembed'::text NOT NULL,
    revision text DEFAULT ''::text NOT NULL,
    dimensions integer NOT NULL,
    metric text DEFAULT 'cosine'::text NOT NULL,
    query_prefix text DEFAULT ''::text NOT NULL,
    passage_prefix text DEFAULT ''::text NOT NULL,
    max_tokens integer,
    is_default boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    endpoints jsonb DEFAULT '[]'::jsonb NOT NULL,
    storage text DEFAULT 'halfvec'::text NOT NULL,
    quantization text DEFAULT 'none'::text NOT NULL,
    hnsw_m smallint DEFAULT 16 NOT NULL,
    hnsw_ef_construction smallint DEFAULT 128 NOT NULL,
    hnsw_ef_search smallint DEFAULT 100 NOT NULL,
    long_input text DEFAULT 'average'::text NOT NULL,
    CONSTRAINT model_dimensions_in_range CHECK (((dimensions >= 1) AND (dimensions <= 16000))),
    CONSTRAINT model_endpoints_are_array CHECK ((jsonb_typeof(endpoints) = 'array'::text)),
    CONSTRAINT model_hnsw_ef_construction_fits_m CHECK ((hnsw_ef_construction >= (2 * hnsw_m))),
    CONSTRAINT model_hnsw_ef_construction_in_range CHECK (((hnsw_ef_construction >= 4) AND (hnsw_ef_construction <= 1000))),
    CONSTRAINT model_hnsw_ef_search_in_range CHECK (((hnsw_ef_search >= 1) AND (hnsw_ef_search <= 1000))),
    CONSTRAINT model_hnsw_m_in_range CHECK (((hnsw_m >= 2) AND (hnsw_m <= 100))),
    CONSTRAINT model_kind_is_known CHECK ((kind = ANY (ARRAY['embedding'::text, 'sparse'::text, 'rerank'::text]))),
    CONSTRAINT model_long_input_is_known CHECK ((long_input = ANY (ARRAY['average'::text, 'error'::text]))),
    CONSTRAINT model_metric_is_known CHECK ((metric = ANY (ARRAY['cosine'::text, 'l2'::text, 'inner_product'::text]))),
    CONSTRAINT model_provider_is_known CHECK ((provider = ANY (ARRAY['fastembed'::text, 'openai'::text, 'external'::text]))),
    CONSTRAINT model_quantization_is_known CHECK ((quantization = ANY (ARRAY['none'::text, 'binary'::text]))),
    CONSTRAINT model_storage_is_known CHECK ((storage = ANY (ARRAY['halfvec'::text, 'vector'::text]))),
    CONSTRAINT model_window_has_room CHECK ((max_tokens >= 32))
);

ALTER TABLE rag_internal.model OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.model IS 'The registry of models. Dimensions and the window (max_tokens, special tokens included) belong to the model.';

COMMENT ON COLUMN rag_internal.model.max_tokens IS 'The window, special tokens included; null: not known, and the provider answers for it.';

COMMENT ON COLUMN rag_internal.model.endpoints IS 'Where the provider openai is reached, in order of preference: objects with url and what rag.add_model tells. Names of environment variables, never keys.';

COMMENT ON COLUMN rag_internal.model.storage IS 'Type of its vectors: halfvec (rag_internal.embedding.v) or vector (full_v).';

COMMENT ON COLUMN rag_internal.model.quantization IS 'binary: the index holds one bit for each dimension, and what it finds is ranked by the stored vectors.';

COMMENT ON COLUMN rag_internal.model.long_input IS 'What becomes of a text beyond the window: the average of its windows, or an error.';

CREATE FUNCTION rag_internal.add_embedding_partition(model rag_internal.model) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _partition text := format('embedding_%s', (model).model_id);
begin
    -- made as a part at once, it would lock out every search and ingest until all that began
    -- before have ended
    execute format('create table rag_internal.%I (like rag_internal.embedding '
                   'including defaults including constraints)',
                   _partition);
    execute format('alter table rag_internal.%I enable row level security', _partition);
    -- the planner's statistics would be copies of vectors, which tell of their texts
    execute format('alter table rag_internal.%I alter column embed_hash set statistics 0, '
                   'alter column v set statistics 0, alter column full_v set statistics 0',
                   _partition);
    execute format('alter table rag_internal.embedding attach partition rag_internal.%I '
                   'for values in (%s)',
                   _partition, (model).model_id);
    perform rag_internal.build_vector_index(model);
end
$$;

ALTER FUNCTION rag_internal.add_embedding_partition(model rag_internal.model) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.add_embedding_partition(model rag_internal.model) IS 'Makes rag_internal.embedding_<model_id> with its vector index.';

CREATE FUNCTION rag_internal.analyzer_fingerprint(config text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select md5(string_agg(
        rag_internal.analyze_folded(config, rag_internal.fold_text(p.probe))::text, E'\n'
        order by p.place))
    from unnest(array[
        'Generously running organizations were hoping the skies, dying and controlling; can''t',
        'Zürcher Straßen häufig aufeinanderfolgende Möglichkeiten für nicht dass',
        'les étudiantes continuellement travaillaient où être naïveté',
        'las canciones rápidamente corriendo más también niños',
        'continuando rapidamente le città perché nazionali não são coração',
        'fietsen mogelijkheden løbende børn människorna juoksemassa talossa',
        'быстрые машины сегодня ёлка чтобы новый домами читающий',
        'οι άνθρωποι τρέχουν γρήγορα δεν είναι',
        'المدرسة الكبيرة والطلاب يكتبون',
        'सुंदर लड़कियाँ பள்ளிகளில் काम किताबें',
        'çocuklarımızdan İstanbul gyerekeknek înțelegătoare',
        '倉庫の鍵は青い箱 서버가 ภาษาไทย ຄວາມ ភាសា မြန်မာ',
        'գրքերը մարդկանց etxeetara zuhaitzak cançons muntanyes membaca perpustakaan',
        'leabharlanna bhfear knygomis namuose किताबहरू मानिसहरूले књигама градовима ביכער',
        'ERR_5001 v2.14.0 C++ c# .net node.js ops.desk@quarry.example ﬁ Ⅷ ²'
    ]) with ordinality p (probe, place)
$$;

ALTER FUNCTION rag_internal.analyzer_fingerprint(config text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.analyzer_fingerprint(config text) IS 'A hash over the lexemes of probe texts under a configuration by name; where it differs from the one an index was built with, the index must be rebuilt.';

CREATE FUNCTION rag_internal.analyzer_stamp(text_config text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select rag_internal.analyzer_version() || ':' || rag_internal.analyzer_fingerprint(text_config)
$$;

ALTER FUNCTION rag_internal.analyzer_stamp(text_config text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.analyzer_stamp(text_config text) IS 'Version and fingerprint of the analyzer under a configuration.';

CREATE FUNCTION rag_internal.analyzer_version() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select 1
$$;

ALTER FUNCTION rag_internal.analyzer_version() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.analyzer_version() IS 'The version of the rules of rag.analyze.';

CREATE FUNCTION rag_internal.answer(retrieved rag_internal.retrieval) RETURNS rag_internal.retrieval
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _result rag_internal.retrieval := retrieved;
    _identity rag_internal.identity := _result.identity;
begin
    if _identity.source = 'nobody' then
        raise warning 'nobody is asking, and finds nothing: %', _identity.why
            using hint = 'select * from rag.whoami() tells how you are seen.';
    end if;
    if _result.answer_key is not null and cardinality(_result.degraded) = 0
       -- words of texts are not kept
       and _result.query = (_result.request).query
       and not exists (select from unnest(_result.leg_hits) h
                       where h.corrected_query is not null) then
        perform rag_internal.keep_answer(_result);
    end if;
    if _result.is_redacted is distinct from false then
        _result.hits := rag_internal.redact_hits(_identity, _result.hits, _result.collection_ids);
    end if;
    perform rag_internal.log_search(_result);
    perform rag_internal.note_search_status(_identity, _result.status);
    return _result;
end
$$;

ALTER FUNCTION rag_internal.answer(retrieved rag_internal.retrieval) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.answer(retrieved rag_internal.retrieval) IS 'The retrieval with its hits as its identity may see them. It is recorded in the log of searches, and kept where the collections keep answers.';

CREATE FUNCTION rag_internal.answer_key(request rag_internal.search_request, scope rag_internal.scope) RETURNS bytea
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _identity rag_internal.identity := (scope).identity;
    _request rag_internal.search_request := request;
begin
    _request.query := null;
    return sha256(convert_to(jsonb_build_array(
        -- who asks: the same passages in sight are not enough
        _identity.who, _identity.source, _identity.tenant, _identity.reader,
        encode(rag_internal.seen_name(scope), 'hex'),
        -- what there is
        (select sum(a.stamp) from rag_internal.access_change a),
        (select jsonb_agg(jsonb_build_array(
                    to_jsonb(k), to_jsonb(m),
                    (select sum(c.stamp) from rag_internal.content_change c
                     where c.collection_id = k.collection_id)) order by k.collection_id)
         from rag_internal.collection k
         left join rag_internal.model m using (model_id)
         where k.collection_id = any (
             (select g.collection_ids from rag_internal.sight(scope) g)::bigint[])),
        (select jsonb_agg(to_jsonb(r) order by r.name) from rag_internal.reranker r),
        -- how it is asked for
        to_jsonb(_request))::text, 'UTF8'));
end
$$;

ALTER FUNCTION rag_internal.answer_key(request rag_internal.search_request, scope rag_internal.scope) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.answer_key(request rag_internal.search_request, scope rag_internal.scope) IS 'SHA-256 of the identity, of what it sees of the scope, of the stamps of access and content, of the models, and of a completed request without its query.';

CREATE FUNCTION rag_internal.matches_pattern(content text, pattern text, kind text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT
         CASE kind
             WHEN 'like'::text THEN (content ~~ pattern)
             ELSE (content ~ pattern)
         END AS "case";
END;

ALTER FUNCTION rag_internal.matches_pattern(content text, pattern text, kind text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.matches_pattern(content text, pattern text, kind text) IS 'kind is like or regex; null for a null content.';

CREATE FUNCTION rag_internal.any_matches(texts text[], pattern text, kind text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM unnest(any_matches.texts) t(item)
           WHERE rag_internal.matches_pattern(t.item, any_matches.pattern, any_matches.kind))) AS "exists";
END;

ALTER FUNCTION rag_internal.any_matches(texts text[], pattern text, kind text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.any_matches(texts text[], pattern text, kind text) IS 'See rag_internal.matches_pattern.';

CREATE TABLE rag_internal.document (
    document_id uuid DEFAULT gen_random_uuid() NOT NULL,
    collection_id bigint NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    version text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    title text,
    content text NOT NULL,
    content_hash bytea NOT NULL,
    mime text DEFAULT 'text/plain'::text NOT NULL,
    language text,
    status text DEFAULT 'active'::text NOT NULL,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    attributes jsonb NOT NULL,
    indexed_as jsonb NOT NULL,
    acl_id bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    text_config text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT document_key_fits_index CHECK (((octet_length(source) + octet_length(version)) <= 2000)),
    CONSTRAINT document_metadata_is_object CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_is_known CHECK ((status = ANY (ARRAY['active'::text, 'archived'::text]))),
    CONSTRAINT document_validity_is_ordered CHECK ((valid_from < valid_until))
);
ALTER TABLE ONLY rag_internal.document ALTER COLUMN source SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.document ALTER COLUMN version SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.document ALTER COLUMN title SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.document ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.document ALTER COLUMN content_hash SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.document ALTER COLUMN mime SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.document ALTER COLUMN language SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.document ALTER COLUMN tags SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.document ALTER COLUMN metadata SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.document ALTER COLUMN attributes SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.document ALTER COLUMN indexed_as SET STATISTICS 0;

ALTER TABLE rag_internal.document OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.document IS 'A document as it was ingested, character for character.';

COMMENT ON COLUMN rag_internal.document.content_hash IS 'SHA-256 of content in UTF-8.';

COMMENT ON COLUMN rag_internal.document.attributes IS 'What filters see: metadata, and over it source, title, tags, version, status and dates as UTC ISO text.';

COMMENT ON COLUMN rag_internal.document.indexed_as IS 'The settings its chunks were made with; an ingest under other settings makes them anew.';

COMMENT ON COLUMN rag_internal.document.text_config IS 'The configuration of its language, else of its collection.';

CREATE FUNCTION rag_internal.attributes(document rag_internal.document) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select (document).metadata
           - array['source', 'title', 'tags', 'version', 'status', 'valid_from', 'valid_until',
                   'created_at', 'updated_at']
           || jsonb_strip_nulls(jsonb_build_object(
                  'source', (document).source,
                  'title', (document).title,
                  'tags', (document).tags,
                  'version', (document).version,
                  'status', (document).status,
                  'valid_from', rag_internal.iso_time((document).valid_from),
                  'valid_until', rag_internal.iso_time((document).valid_until),
                  'created_at', rag_internal.iso_time((document).created_at),
                  'updated_at', rag_internal.iso_time((document).updated_at)))
$$;

ALTER FUNCTION rag_internal.attributes(document rag_internal.document) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.attributes(document rag_internal.document) IS 'Metadata without, and then with, source, title, tags, version, status and dates (UTC, ISO 8601): what the system does not know of a document, metadata cannot claim.';

CREATE FUNCTION rag_internal.authenticate(who name, ticket bytea, token text DEFAULT NULL::text) RETURNS rag_internal.identity
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _token text := nullif(authenticate.token, '');
    _setting text := nullif(current_setting('rag.token', true), '');
begin
    if authenticate.ticket is distinct from
       (select rag_internal.ticket(k.secret, authenticate.who) from rag_internal.ticket_key k) then
        raise exception using
            errcode = '28000',
            message = 'ragsql cannot tell who is asking',
            hint    = 'Call the functions of schema rag, not those of rag_internal.';
    end if;

    if _token is null and _setting is not null then
        -- in functions, upkeep and views of others a setting says nothing of who asks
        if not rag_internal.is_session_role(who) then
            return rag_internal.nobody(who, 'rag.token was set by another role than asks here');
        end if;
        _token := _setting;
    end if;
    if _token is not null then
        return rag_internal.token_identity(who, rag_internal.verified_claims(_token));
    end if;
    return rag_internal.role_identity(who);
end
$$;

ALTER FUNCTION rag_internal.authenticate(who name, ticket bytea, token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.authenticate(who name, ticket bytea, token text) IS 'The identity behind a ticket: by the token (null or empty: that of the setting rag.token), else by the settings of a trusted service, else by the role. 28000 when the ticket or the token does not verify.';

CREATE FUNCTION rag_internal.best_score(hits rag.hit[]) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    -- scores of BM25 are no measure between questions: its words are there, or they are not
    select coalesce(max(h.rerank_score), max(h.semantic_score),
                    case when count(h.bm25_score) > 0 then 1 end, max(h.fuzzy_score), 0)
    from unnest(hits) h
$$;

ALTER FUNCTION rag_internal.best_score(hits rag.hit[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.best_score(hits rag.hit[]) IS 'The best rerank_score of the hits, else semantic_score, else 1 where words match, else fuzzy_score; 0 without hits.';

CREATE FUNCTION rag_internal.bm25_leg(query text, scope rag_internal.scope, depth bigint) RETURNS SETOF rag_internal.leg_hit
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'iso'
    SET jit TO 'off'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).bm25_leg(query, scope, depth)
$$;

ALTER FUNCTION rag_internal.bm25_leg(query text, scope rag_internal.scope, depth bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.bm25_leg(query text, scope rag_internal.scope, depth bigint) IS 'At most depth passages by BM25: sum of idf * tf (k1 + 1) / (tf + k1 (1 - b + b length / average)), idf = ln((N - df + 0.5) / (df + 0.5) + 1), k1 = 1.2, b = 0.75 (Robertson, Zaragoza 2009, idf as in Lucene). A filter masks passages and moves no statistic. scope.collection_ids null: all.';

CREATE FUNCTION rag_internal.bm25_terms(query text, scope rag_internal.scope, document_id uuid, chunk_index integer) RETURNS SETOF rag.bm25_term
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'iso'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).bm25_terms(query, scope, document_id, chunk_index)
$$;

ALTER FUNCTION rag_internal.bm25_terms(query text, scope rag_internal.scope, document_id uuid, chunk_index integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.bm25_terms(query text, scope rag_internal.scope, document_id uuid, chunk_index integer) IS 'Terms in the order in which their contributions are added; P0002 where the passage is missing, or hidden, or not searched.';

CREATE FUNCTION rag_internal.build_segment(text_config text) RETURNS integer
    LANGUAGE plpython3u
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).build_segment(text_config)
$$;

ALTER FUNCTION rag_internal.build_segment(text_config text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.build_segment(text_config text) IS 'How many passages left rag_internal.pending for a new segment, at most 16,384.';

CREATE FUNCTION rag_internal.build_vector_index(model rag_internal.model) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _partition text := format('embedding_%s', (model).model_id);
    _index text := _partition || '_hnsw';
    _form record := rag_internal.vector_form(model);
    _workers text := current_setting('max_parallel_maintenance_workers');
    _create text;
begin
    if _form.indexed is null then
        execute format('drop index if exists rag_internal.%I', _index);
        raise warning using
            message = format('%s dimensions are more than an index holds: searches with model "%s" '
                             'read every vector in scope', (model).dimensions, (model).name),
            hint    = 'Up to 4,000 dimensions are indexed as they are, up to 16,000 with '
                      'options => ''{"quantization": "binary"}''.';
        return;
    end if;
    _create := format('create index %I on rag_internal.%I using hnsw (%s %s) '
                      'with (m = %s, ef_construction = %s)',
                      _index || '_new', _partition, format(_form.indexed, _form.stored_in),
                      _form.operators, (model).hnsw_m, (model).hnsw_ef_construction);
    begin
        execute _create;
    exception when disk_full or out_of_memory then
        if _workers::integer = 0 then
            raise;
        end if;
        perform set_config('max_parallel_maintenance_workers', '0', true);
        execute _create;
        perform set_config('max_parallel_maintenance_workers', _workers, true);
    end;
    -- see rag_internal.add_embedding_partition
    execute format('alter index rag_internal.%I alter column 1 set statistics 0',
                   _index || '_new');
    execute format('drop index if exists rag_internal.%I', _index);
    execute format('alter index rag_internal.%I rename to %I', _index || '_new', _index);
end
$$;

ALTER FUNCTION rag_internal.build_vector_index(model rag_internal.model) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.build_vector_index(model rag_internal.model) IS 'Replaces embedding_<model_id>_hnsw by an index as the model wants it; a warning and none where its dimensions cannot be indexed. Without memory for parallel workers, without them.';

CREATE TABLE rag_internal.embedding_task (
    model_id integer NOT NULL,
    chunk_id bigint NOT NULL,
    job_id bigint,
    acl_id bigint NOT NULL,
    collection_id bigint NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    run_after timestamp with time zone DEFAULT now() NOT NULL,
    claim_id uuid,
    is_dead boolean DEFAULT false NOT NULL,
    error text,
    failed_at timestamp with time zone,
    CONSTRAINT embedding_task_dead_has_error CHECK (((NOT is_dead) OR (error IS NOT NULL))),
    CONSTRAINT embedding_task_dead_is_unclaimed CHECK (((NOT is_dead) OR (claim_id IS NULL)))
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');
ALTER TABLE ONLY rag_internal.embedding_task ALTER COLUMN error SET STATISTICS 0;

ALTER TABLE rag_internal.embedding_task OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.embedding_task IS 'A passage that waits for its vector under a model; gone when it has it. job_id null: the vector is to be given, since the model is external. Nobody works on it before run_after; a claim puts that off, so that what a killed worker claimed returns by itself. attempts are counted by claims. is_dead: given up, kept with its error.';

CREATE FUNCTION rag_internal.bury_abandoned(task rag_internal.embedding_task) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    update rag_internal.embedding_task t
    set is_dead = true, claim_id = null, failed_at = clock_timestamp(),
        error = coalesce(t.error, 'its worker ended before it was embedded')
    where t.model_id = (task).model_id and t.chunk_id = (task).chunk_id
$$;

ALTER FUNCTION rag_internal.bury_abandoned(task rag_internal.embedding_task) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.bury_abandoned(task rag_internal.embedding_task) IS 'Makes a dead letter of what came back five times.';

CREATE FUNCTION rag_internal.bury_entry() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    insert into rag_internal.tombstone (entry_id) values (old.entry_id) on conflict do nothing;
    -- what nobody is building yet need not be read by searches any more; an older snapshot than
    -- that of whoever built it would fail here
    if current_setting('transaction_isolation') = 'read committed' then
        delete from rag_internal.pending p
        where (p.entry_id, p.first_index) in (
            select f.entry_id, f.first_index from rag_internal.pending f
            where f.entry_id = old.entry_id
            for update skip locked);
    end if;
    return null;
end
$$;

ALTER FUNCTION rag_internal.bury_entry() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.bury_entry() IS 'Adds the tombstone of the entry that a row of indexed_document named before, and takes it out of rag_internal.pending where it can.';

CREATE FUNCTION rag_internal.new_id() RETURNS bigint
    LANGUAGE sql PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select hashtextextended(gen_random_uuid()::text, 0)
$$;

ALTER FUNCTION rag_internal.new_id() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.new_id() IS 'A random 64-bit id. Internal ids are random because a sequence counts what its reader cannot see.';

CREATE TABLE rag_internal.collection (
    collection_id bigint DEFAULT rag_internal.new_id() NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    tenant text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    owner_id bigint NOT NULL,
    acl_id bigint NOT NULL,
    description text,
    strategy text DEFAULT 'word'::text NOT NULL,
    chunk_size integer,
    overlap integer,
    min_chunk_size integer,
    model_id integer,
    text_config text DEFAULT 'english'::text NOT NULL COLLATE pg_catalog."C",
    search_defaults jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    min_value real,
    title_weight smallint DEFAULT 2 NOT NULL,
    heading_weight smallint DEFAULT 1 NOT NULL,
    analyzed_as text,
    CONSTRAINT collection_heading_weight_in_range CHECK (((heading_weight >= 0) AND (heading_weight <= 10))),
    CONSTRAINT collection_min_value_is_share CHECK (((min_value >= (0)::double precision) AND (min_value <= (1)::double precision))),
    CONSTRAINT collection_name_is_short CHECK ((length(name) <= 200)),
    CONSTRAINT collection_name_is_visible CHECK ((name ~ '[[:graph:]]'::text)),
    CONSTRAINT collection_title_weight_in_range CHECK (((title_weight >= 0) AND (title_weight <= 10)))
);

ALTER TABLE rag_internal.collection OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.collection IS 'Documents that share an owner, default readers, chunking, model and text configuration. text_config is text, since a regconfig column would block pg_upgrade. A null model: no vectors.';

COMMENT ON COLUMN rag_internal.collection.min_value IS 'Passages whose value is below it get no vector; null: all get one.';

COMMENT ON COLUMN rag_internal.collection.title_weight IS 'How often the title counts in each passage of the document; 0: not at all.';

COMMENT ON COLUMN rag_internal.collection.heading_weight IS 'How often the heading path counts in a passage; 0: not at all.';

COMMENT ON COLUMN rag_internal.collection.analyzed_as IS 'Version and fingerprint of the analyzer that its lexemes were made with; another one asks for rag.rebuild_index.';

CREATE FUNCTION rag_internal.bury_failed(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _failed integer := (select count(*) from unnest(chunks) c where c.error is not null);
    _job_ids bigint[];
begin
    if _failed = 0 then
        return;
    end if;
    with failed as (
        update rag_internal.embedding_task t
        set is_dead = true, attempts = 1, error = p.error, failed_at = clock_timestamp()
        from unnest(chunks) p
        join rag_internal.chunk c on c.document_id = (document).document_id
                                 and c.chunk_index = (p.chunk).chunk_index
        where p.error is not null
          and t.model_id = (collection).model_id and t.chunk_id = c.chunk_id
        returning t.job_id
    )
    select array_agg(distinct f.job_id) into _job_ids from failed f;
    perform rag_internal.finish_jobs(_job_ids);
    raise warning 'passages of "%" that could not be embedded: %', (document).source, _failed
        using detail = (select c.error from unnest(chunks) c where c.error is not null limit 1),
              hint = 'They are found by their words. rag.dead_letter lists them; '
                     'rag.retry_job(job_id) tries them again.';
end
$$;

ALTER FUNCTION rag_internal.bury_failed(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.bury_failed(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[]) IS 'Turns the tasks of passages with an error into dead letters, and warns once.';

CREATE FUNCTION rag_internal.bury_strays(collection_id bigint) RETURNS integer
    LANGUAGE plpython3u
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).bury_strays(collection_id)
$$;

ALTER FUNCTION rag_internal.bury_strays(collection_id bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.bury_strays(collection_id bigint) IS 'How many entries of the collection got a tombstone.';

CREATE TABLE rag_internal.cached_answer (
    answer_id bigint DEFAULT rag_internal.new_id() NOT NULL,
    key bytea NOT NULL,
    question_hash bytea NOT NULL,
    question_terms bytea,
    query_vector public.vector,
    collection_ids bigint[] NOT NULL,
    status text NOT NULL,
    ranking rag_internal.leg_hit[] NOT NULL,
    leg_hits rag_internal.leg_hit[] NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY rag_internal.cached_answer ALTER COLUMN key SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.cached_answer ALTER COLUMN question_hash SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.cached_answer ALTER COLUMN question_terms SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.cached_answer ALTER COLUMN query_vector SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.cached_answer ALTER COLUMN ranking SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.cached_answer ALTER COLUMN leg_hits SET STATISTICS 0;

ALTER TABLE rag_internal.cached_answer OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.cached_answer IS 'Which passages answered a question, in order; never their texts. key: of everything that the answer depends on but the question itself, the identity that asked and what it sees among it. question_terms: of the words that no other word can stand for; null where only the very same question may have the answer.';

CREATE FUNCTION rag_internal.cached_answer(key bytea, request rag_internal.search_request, scope rag_internal.scope, OUT answer rag_internal.cached_answer, OUT route text) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _least constant double precision := ((request).cache ->> 'similarity')::double precision;
    _terms bytea;
    _vector "public".vector;
begin
    select a.* into answer
    from rag_internal.cached_answer a
    where a.key = cached_answer.key
      and a.question_hash = rag_internal.keyed_hash(convert_to((request).query, 'UTF8'))
      and a.expires_at > clock_timestamp()
    order by a.expires_at desc
    limit 1;
    if found then
        route := 'exact';
        return;
    end if;
    route := 'miss';
    if _least is null then
        return;
    end if;
    _terms := rag_internal.question_terms((request).query);
    _vector := rag_internal.question_vector(request, scope);
    if _terms is null or _vector is null then
        return;
    end if;
    select a.* into answer
    from rag_internal.cached_answer a
    where a.key = cached_answer.key and a.question_terms = _terms
      and a.expires_at > clock_timestamp()
      and 1 - (a.query_vector operator("public".<=>) _vector) >= _least
    order by a.query_vector operator("public".<=>) _vector
    limit 1;
    if found then
        route := 'similar';
    end if;
end
$$;

ALTER FUNCTION rag_internal.cached_answer(key bytea, request rag_internal.search_request, scope rag_internal.scope, OUT answer rag_internal.cached_answer, OUT route text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.cached_answer(key bytea, request rag_internal.search_request, scope rag_internal.scope, OUT answer rag_internal.cached_answer, OUT route text) IS 'The answer and the route to it: exact (the same question), similar (one whose vector is at least as near as the cache asks for, with the same codes, numbers and names), or miss.';

CREATE FUNCTION rag_internal.can_do_without(leg text, request rag_internal.search_request, scope rag_internal.scope) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    -- a model that is missing is a fault; collections without one were made so, and those whose
    -- vectors come with the calls
    return coalesce((request).allow_degraded, false)
        or (leg = 'semantic'
            and not exists (
                select from rag_internal.collection k
                join rag_internal.model m using (model_id)
                where k.collection_id = any (coalesce(
                        (scope).collection_ids,
                        (select s.collection_ids from rag_internal.sight(scope) s)))
                  and m.provider <> 'external'));
end
$$;

ALTER FUNCTION rag_internal.can_do_without(leg text, request rag_internal.search_request, scope rag_internal.scope) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.can_do_without(leg text, request rag_internal.search_request, scope rag_internal.scope) IS 'True where the caller allows it, and for the semantic leg where no collection has a model that could be asked.';

CREATE FUNCTION rag_internal.check_chunking(strategy text, chunk_size integer, overlap integer, min_chunk_size integer, has_model boolean, min_value real) RETURNS text
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).check_chunking(strategy, chunk_size, overlap, min_chunk_size,
                                              has_model, min_value)
$$;

ALTER FUNCTION rag_internal.check_chunking(strategy text, chunk_size integer, overlap integer, min_chunk_size integer, has_model boolean, min_value real) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_chunking(strategy text, chunk_size integer, overlap integer, min_chunk_size integer, has_model boolean, min_value real) IS 'The strategy by its own name (word for null); 22023 for an unknown strategy, sizes that cannot work, tokens without a model, or a min_value outside 0 to 1.';

CREATE FUNCTION rag_internal.check_dataset(queries jsonb, judgments jsonb) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _kind text;
    _rows jsonb;
    _known text[];
    _row jsonb;
    _number bigint;
    _problem text;
begin
    foreach _kind in array array['queries', 'judgments'] loop
        _rows := case _kind when 'queries' then queries else judgments end;
        _known := case _kind
            when 'queries' then array['query_id', 'query']
            else array['query_id', 'source', 'relevance', 'collection', 'start_offset',
                       'end_offset'] end;
        if jsonb_typeof(_rows) is distinct from 'array' then
            _problem := format('%s is not a JSON array of objects', _kind);
        end if;
        for _row, _number in
            select e, n
            from jsonb_array_elements(case when _problem is null then _rows else '[]' end)
                 with ordinality t (e, n)
        loop
            _problem := case
                when jsonb_typeof(_row) <> 'object' then 'is not a JSON object'
                when exists (select from jsonb_object_keys(_row) k where k <> all (_known))
                    then 'has unknown keys: ' || left((select string_agg(k, ', ' order by k)
                                                       from jsonb_object_keys(_row) k
                                                       where k <> all (_known)), 200)
                when coalesce(_row ->> 'query_id', '') = '' or length(_row ->> 'query_id') > 200
                    then 'has no query_id of at most 200 characters'
                when _kind = 'queries' and jsonb_typeof(_row -> 'query') is distinct from 'string'
                    then 'has no query'
                when _kind = 'queries' then null
                when coalesce(jsonb_typeof(_row -> 'source'), '') <> 'string'
                     or jsonb_typeof(_row -> 'collection') not in ('string', 'null')
                    then 'has no source, or a collection that is no name'
                when coalesce(_row ->> 'relevance', '') !~ '^([12]?\d|30)$'
                    then 'has no relevance from 0 to 30'
                when coalesce(_row ->> 'start_offset', '0') !~ '^\d{1,9}$'
                     or coalesce(_row ->> 'end_offset', '1') !~ '^\d{1,9}$'
                     or (_row ->> 'start_offset' is null) <> (_row ->> 'end_offset' is null)
                     or (_row ->> 'start_offset')::integer >= (_row ->> 'end_offset')::integer
                    then 'has an excerpt that is none' end;
            if _problem is not null then
                _problem := format('element %s of %s %s', _number, _kind, _problem);
                exit;
            end if;
            if _kind = 'queries' then
                perform rag_internal.check_query(_row ->> 'query');
            end if;
        end loop;
        if _problem is not null then
            raise exception using
                errcode = '22023',
                message = _problem,
                hint    = format('Keys of %s: %s.', _kind, array_to_string(_known, ', '));
        end if;
    end loop;
    select q.query_id into _problem
    from jsonb_to_recordset(queries) q (query_id text)
    group by q.query_id having count(*) > 1
    limit 1;
    if found then
        raise exception using
            errcode = '22023',
            message = format('query_id %s is given twice', _problem);
    end if;
    select j.query_id into _problem
    from jsonb_to_recordset(judgments) j (query_id text)
    where j.query_id not in (select q.query_id from jsonb_to_recordset(queries) q (query_id text))
    limit 1;
    if found then
        raise exception using
            errcode = '22023',
            message = format('query_id %s is judged, but not among the queries', _problem);
    end if;
end
$_$;

ALTER FUNCTION rag_internal.check_dataset(queries jsonb, judgments jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_dataset(queries jsonb, judgments jsonb) IS '22023 for the first query or judgment that is malformed, for a query_id given twice, and for judgments of queries that there are not.';

CREATE FUNCTION rag_internal.check_document(document rag_internal.document) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _problem text := case
        when jsonb_typeof((document).metadata) <> 'object' then 'metadata is not a JSON object'
        -- a filter path goes down recursively, on the stack of whoever searches
        when jsonb_path_exists((document).metadata, '$.**{65}')
            then 'metadata is nested deeper than 64 levels'
        when octet_length((document).source) + octet_length((document).version) > 2000
            then 'source and version have more than 2,000 bytes together'
        when length((document).title) > 2000 then 'title has more than 2,000 characters'
        when array_ndims((document).tags) > 1 or array_position((document).tags, null) is not null
            then 'tags is not a plain list of strings'
        when (document).status not in ('active', 'archived')
            then format('status is "%s", but a document is active or archived', (document).status)
        when (document).valid_from >= (document).valid_until
            then 'valid_from is not before valid_until' end;
begin
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'Nothing was stored; correct it and send the document again.';
    end if;
end
$_$;

ALTER FUNCTION rag_internal.check_document(document rag_internal.document) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_document(document rag_internal.document) IS '22023 for what a document may not be: metadata no object or too deep, keys or title too long, tags that are no list, an unknown status, a validity that ends before it begins.';

CREATE FUNCTION rag_internal.check_embed(embed text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if embed is null or embed not in ('now', 'later') then
        raise exception using
            errcode = '22023',
            message = format('embed is "%s", but must be now or later', left(embed, 100)),
            hint    = 'now: the vectors are there when the call returns; later: the call returns '
                      'a job_id, and `ragsql worker` or call rag.run_jobs() makes them.';
    end if;
end
$$;

ALTER FUNCTION rag_internal.check_embed(embed text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_embed(embed text) IS '22023 for anything but now and later.';

CREATE FUNCTION rag_internal.check_erasure_pattern(pattern text, kind text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _problem text;
begin
    if kind is null or kind not in ('like', 'regex') then
        raise exception using
            errcode = '22023',
            message = format('kind is "%s", but one of: like, regex', coalesce(kind, 'null')),
            hint    = 'like: % and _ stand for anything; regex: a regular expression.';
    elsif pattern is null or pattern !~ '[[:graph:]]' then
        _problem := 'is empty';
    elsif kind = 'regex' then
        perform rag_internal.check_pattern(pattern);
    elsif pattern !~ '^([^\\]|\\.)*$' then
        _problem := 'ends with the escape character';
    -- without wildcards, and what is escaped as it is
    elsif regexp_replace(pattern, '\\(.)|[%_]', '\1', 'g') !~ '[[:graph:]]' then
        _problem := 'has nothing but wildcards';
    end if;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = 'the pattern ' || _problem,
            hint    = 'Give the text to find: %text% finds it anywhere. Documents that match are '
                      'erased whole; dry_run => true lists them.';
    end if;
end
$_$;

ALTER FUNCTION rag_internal.check_erasure_pattern(pattern text, kind text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_erasure_pattern(pattern text, kind text) IS '22023 for an unknown kind, a pattern that is invalid or empty, and one that means everything.';

CREATE FUNCTION rag_internal.check_filter(filter jsonb, filter_path jsonpath, vars jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _quoted constant text := '"(?:[^"\\]|\\.)*"';
    _unquoted text;
    _missing text;
begin
    if jsonb_typeof(filter) <> 'object' then
        raise exception using
            errcode = '22023',
            message = 'filter is not a JSON object',
            hint    = 'For example: {"tags": ["guide"]}.';
    elsif jsonb_typeof(vars) <> 'object' then
        raise exception using errcode = '22023', message = 'vars is not a JSON object';
    elsif filter_path is null then
        return;
    -- its size in memory first: to print a deep path overflows the stack
    elsif (case when pg_column_size(filter_path) > 100000 then true
                else octet_length(filter_path::text) > 10000 end)
          or octet_length(vars::text) > 100000 then
        raise exception using
            errcode = '22023',
            message = 'filter_path has more than 10,000 bytes, or vars more than 100,000',
            hint    = 'Put long lists into metadata, and compare with one value.';
    end if;

    _unquoted := regexp_replace(filter_path::text, _quoted, '""', 'g');
    if _unquoted ~ 'like_regex'
          or regexp_replace(_unquoted, '\.(type|size)\(\)', '', 'g') ~ '\.\w+\s*\(' then
        raise exception using
            errcode = '22023',
            message = 'filter_path may use neither like_regex nor methods but type() and size()',
            hint    = 'Compare values; dates are ISO 8601 text, which compares in order.';
    end if;

    select v.name into _missing
    from (select (right(m[1], -1)::jsonb) #>> '{}' as name
          from regexp_matches(filter_path::text, '(\$?' || _quoted || ')', 'g') m
          where m[1] like '$%') v
    where not coalesce(vars, '{}') ? v.name
    limit 1;
    if found then
        raise exception using
            errcode = '22023',
            message = format('filter_path uses $%s, which vars does not have', _missing),
            hint    = 'Give every variable of filter_path a value in vars.';
    elsif jsonb_path_query_array('{}', filter_path, coalesce(vars, '{}'), true)
          not in ('[true]', '[false]', '[null]') then
        raise exception using
            errcode = '22023',
            message = 'filter_path is not a predicate',
            hint    = 'Write a condition: $.team == "ops", or exists($.tags[*] ? (@ == "guide")).';
    end if;
end
$_$;

ALTER FUNCTION rag_internal.check_filter(filter jsonb, filter_path jsonpath, vars jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_filter(filter jsonb, filter_path jsonpath, vars jsonb) IS '22023 for a filter that is no object, for a path with like_regex or methods, for one that is not a predicate, and for a missing variable.';

CREATE FUNCTION rag_internal.check_grant(collection text, document_ids uuid[], readers text[]) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if (check_grant.collection is null) = (coalesce(cardinality(document_ids), 0) = 0) then
        raise exception using
            errcode = '22023',
            message = 'give either a collection or a document_id',
            hint    = 'For example: rag.grant_read(''docs'', ''role:alice''), or '
                      'rag.grant_read(document_id => ''...'', reader => ''role:alice'').';
    elsif cardinality(readers) = 0 then
        raise exception using
            errcode = '22023',
            message = 'give a reader',
            hint    = 'A reader is role:NAME, NAME of a role, user:NAME, group:NAME or public.';
    end if;
end
$$;

ALTER FUNCTION rag_internal.check_grant(collection text, document_ids uuid[], readers text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_grant(collection text, document_ids uuid[], readers text[]) IS '22023 for both or neither of collection and documents, and for no reader.';

CREATE FUNCTION rag_internal.check_model(model rag_internal.model) RETURNS void
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
GD["ragsql"].require(6).check_model(model)
$$;

ALTER FUNCTION rag_internal.check_model(model rag_internal.model) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_model(model rag_internal.model) IS '22023 for bad endpoints, 42501 for hosts or key variables that rag.allow_http does not name.';

CREATE FUNCTION rag_internal.check_model_change(before rag_internal.model, after rag_internal.model) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _problem text := case
        when (after).dimensions <> (before).dimensions
            then format('model "%s" has %s dimensions, not %s',
                        (after).name, (before).dimensions, (after).dimensions)
        when (after).max_tokens is null and (after).provider = 'fastembed'
            then 'max_tokens is null, but a fastembed model needs its window'
        when (after).provider = 'openai' and (after).endpoints = '[]'
            then 'provider openai needs endpoints'
        when (after).provider <> 'openai' and (after).endpoints <> '[]'
            then format('provider %s has no endpoints', (after).provider)
        when (after).hnsw_ef_construction < 2 * (after).hnsw_m
            then format('ef_construction is %s, but must be twice m (%s) or more',
                        (after).hnsw_ef_construction, (after).hnsw_m) end;
    _made text[] := array(
        select n.key
        from jsonb_each(to_jsonb(before)) o
        join jsonb_each(to_jsonb(after)) n on n.key = o.key
        where n.key in ('provider', 'revision', 'passage_prefix', 'metric', 'storage')
          and n.value <> o.value
        order by n.key);
begin
    if cardinality(_made) > 0 and rag_internal.model_is_used((before).model_id) then
        raise exception using
            errcode = '55000',
            message = format('model "%s" is in use, and cannot change its %s',
                             (after).name, array_to_string(_made, ', ')),
            hint    = 'Vectors made in different ways cannot be compared: register the other model '
                      'under a name of its own.';
    elsif _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = case
                when _problem like 'provider openai%'
                    then 'options => ''{"endpoints": [{"url": "https://HOST/v1"}]}'''
                when (after).dimensions <> (before).dimensions
                    then 'Register the other model under a name of its own.'
                else 'rag.model shows what a registered model has.' end;
    end if;
end
$$;

ALTER FUNCTION rag_internal.check_model_change(before rag_internal.model, after rag_internal.model) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_model_change(before rag_internal.model, after rag_internal.model) IS '22023 for a model that makes no sense or has other dimensions than before; 55000 for what its vectors were made by, while there are any.';

CREATE FUNCTION rag_internal.check_model_options(options jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    -- option, what its value is, and that as a path predicate
    _known constant text[] := array[
        ['revision', 'a string', '$.type() == "string"'],
        ['metric', 'cosine, l2 or inner_product',
         '$ == "cosine" || $ == "l2" || $ == "inner_product"'],
        ['query_prefix', 'a string', '$.type() == "string"'],
        ['passage_prefix', 'a string', '$.type() == "string"'],
        ['max_tokens', 'a whole number from 32 to 1,000,000 or null',
         '$ == null || ($ >= 32 && $ <= 1000000 && $.floor() == $)'],
        ['is_default', 'a boolean', '$.type() == "boolean"'],
        ['endpoints', 'a list of objects',
         '$.type() == "array" && !exists($[*] ? (@.type() != "object"))'],
        ['storage', 'halfvec or vector', '$ == "halfvec" || $ == "vector"'],
        ['quantization', 'none or binary', '$ == "none" || $ == "binary"'],
        ['m', 'a whole number from 2 to 100', '$ >= 2 && $ <= 100 && $.floor() == $'],
        ['ef_construction', 'a whole number from 4 to 1,000',
         '$ >= 4 && $ <= 1000 && $.floor() == $'],
        ['ef_search', 'a whole number from 1 to 1,000', '$ >= 1 && $ <= 1000 && $.floor() == $'],
        ['memory_efficient', 'a boolean', '$.type() == "boolean"'],
        ['long_input', 'average or error', '$ == "average" || $ == "error"']];
    _problem text;
begin
    if jsonb_typeof(options) <> 'object' then
        _problem := 'options is not a JSON object';
    else
        select case when k.i is null then format('unknown option: %s', o.key)
                    else format('%s is not %s', o.key, _known[k.i][2]) end
        into _problem
        from jsonb_each(options) o
        left join (select i from generate_subscripts(_known, 1) i) k on _known[k.i][1] = o.key
        where k.i is null
           or (_known[k.i][2] ~ 'whole number' and o.value::text ~ '[.e]')
           or jsonb_path_match(o.value, ('strict ' || _known[k.i][3])::jsonpath, '{}', true)
              is not true
        order by o.key
        limit 1;
    end if;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = format('Options: %s.',
                             array_to_string(array(select _known[i][1]
                                                   from generate_subscripts(_known, 1) i), ', '));
    end if;
end
$_$;

ALTER FUNCTION rag_internal.check_model_options(options jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_model_options(options jsonb) IS '22023 for what is no object of options of rag.add_model with values of their types.';

CREATE FUNCTION rag_internal.check_name(name text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform rag_internal.require_visible_text('name', check_name.name);
    if length(check_name.name) > 200
       or check_name.name
          ~ '[\u0001-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]' then
        raise exception using
            errcode = '22023',
            message = 'the name of a collection has at most 200 characters, and none that controls '
                      'how text is shown',
            hint    = 'Use letters, digits, spaces and signs.';
    elsif check_name.name ~ '(^|/)(role|user|group):' then
        raise exception using
            errcode = '22023',
            message = 'the name of a collection may not begin like that of an owner',
            hint    = 'OWNER/NAME, such as role:alice/notes, tells collections of one name apart.';
    end if;
end
$$;

ALTER FUNCTION rag_internal.check_name(name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_name(name text) IS '22023 for a blank or long name, for control, bidirectional and zero-width characters, and for role:, user: or group: at its beginning.';

CREATE FUNCTION rag_internal.check_pattern(pattern text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _problem text;
begin
    if coalesce(check_pattern.pattern, '') = '' then
        _problem := 'is empty';
    elsif length(check_pattern.pattern) > 1000 then
        _problem := 'has more than 1,000 characters';
    elsif check_pattern.pattern ~ '^(\*\*\*|\(\?[a-z]*[beq])' then
        _problem := 'is of another syntax than the advanced one';
    elsif check_pattern.pattern ~ '(^|[^\\])(\\\\)*\\[1-9]' then
        _problem := 'has a back-reference';
    elsif rag_internal.repetitions(check_pattern.pattern) > 10000 then
        _problem := 'repeats too much: the product of its bounds is above 10,000';
    else
        begin
            if '' collate "default" ~ check_pattern.pattern then
                _problem := 'matches the empty string';
            end if;
        exception when invalid_regular_expression then
            _problem := 'is none: ' || regexp_replace(sqlerrm, '^invalid regular expression: ', '');
        end;
    end if;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = 'the regular expression ' || _problem,
            hint    = 'One of PostgreSQL, such as (?i)project +falcon; (?i) ignores case.';
    end if;
end
$$;

ALTER FUNCTION rag_internal.check_pattern(pattern text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_pattern(pattern text) IS '22023 for a regular expression that is empty, longer than 1,000 characters or invalid, that matches the empty string, or that has back-references or too many repetitions.';

CREATE FUNCTION rag_internal.check_query(query text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform rag_internal.require_visible_text('query', query);
    if octet_length(query) > 500000 then
        raise exception using
            errcode = '22023',
            message = format('query has %s bytes, more than 500,000', octet_length(query)),
            hint    = 'Ask with the sentences that matter.';
    -- a shorter one cannot have so many
    elsif octet_length(query) > 2000 and length(rag_internal.surface_forms(query)) > 1000 then
        raise exception using
            errcode = '22023',
            message = format('query has %s distinct words, more than 1,000',
                             length(rag_internal.surface_forms(query))),
            hint    = 'Ask with the sentences that matter.';
    end if;
end
$$;

ALTER FUNCTION rag_internal.check_query(query text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_query(query text) IS '22023 for a query without visible characters, of more than 500,000 bytes or of more than 1,000 distinct words.';

CREATE FUNCTION rag_internal.check_redaction_rule(rule rag_internal.redaction_rule) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _others rag_internal.redaction_rule[] := array(
        select r
        from unnest(rag_internal.redaction_rules(array[(rule).collection_id])) r
        where r.name <> (rule).name);
    _pattern text;
    _problem text;
    _clash text;
begin
    perform rag_internal.require_visible_text('name', (rule).name);
    _problem := case
        when length((rule).name) > 200 then 'the name of a rule has at most 200 characters'
        when num_nonnulls((rule).pattern, (rule).detector) <> 1
            then 'give either a pattern or a detector'
        when (rule).replacement is null then 'replacement is null'
        when length((rule).replacement) > 200 then 'replacement has more than 200 characters' end;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'For example: '
                      'rag.add_redaction_rule(''docs'', ''mail'', detector => ''email'').';
    end if;
    if (rule).pattern is not null then
        perform rag_internal.check_pattern((rule).pattern);
    end if;
    -- PostgreSQL keeps 32 compiled expressions for a session; to compile one takes long
    if cardinality(_others) >= 30 then
        raise exception using
            errcode = '54000',
            message = 'a collection has at most 30 redaction rules',
            hint    = 'Join some: a|b matches what a or b matches.';
    end if;

    _pattern := coalesce((rule).pattern, rag_internal.detector_pattern((rule).detector));
    select t.name into _clash
    from (select (rule).name, (rule).replacement, _pattern as pattern
          union all
          select r.name, (rule).replacement, r.pattern from unnest(_others) r
          union all
          select r.name, r.replacement, _pattern from unnest(_others) r) t
    where t.replacement collate "default" ~ t.pattern
    limit 1;
    if found then
        raise exception using
            errcode = '22023',
            message = format('a rule would match its own replacement or that of another: "%s"',
                             _clash),
            hint    = 'Give a replacement that no rule of the collection matches.';
    end if;
end
$$;

ALTER FUNCTION rag_internal.check_redaction_rule(rule rag_internal.redaction_rule) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_redaction_rule(rule rag_internal.redaction_rule) IS '22023 for a rule that is malformed, or that does not go with the others of its collection; 54000 for the 31st.';

CREATE TABLE rag_internal.reranker (
    name text NOT NULL COLLATE pg_catalog."C",
    provider text DEFAULT 'fastembed'::text NOT NULL,
    revision text DEFAULT ''::text NOT NULL,
    max_tokens integer,
    endpoints jsonb DEFAULT '[]'::jsonb NOT NULL,
    scores text DEFAULT 'logit'::text NOT NULL,
    is_default boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT reranker_endpoints_are_array CHECK ((jsonb_typeof(endpoints) = 'array'::text)),
    CONSTRAINT reranker_name_is_short CHECK ((length(name) <= 200)),
    CONSTRAINT reranker_provider_is_known CHECK ((provider = ANY (ARRAY['fastembed'::text, 'http'::text]))),
    CONSTRAINT reranker_scores_are_known CHECK ((scores = ANY (ARRAY['logit'::text, 'probability'::text]))),
    CONSTRAINT reranker_window_has_room CHECK ((max_tokens >= 64))
);
ALTER TABLE ONLY rag_internal.reranker ALTER COLUMN name SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.reranker ALTER COLUMN provider SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.reranker ALTER COLUMN revision SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.reranker ALTER COLUMN endpoints SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.reranker ALTER COLUMN scores SET STATISTICS 0;

ALTER TABLE rag_internal.reranker OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.reranker IS 'Models that read a question and a passage together and score the pair.';

COMMENT ON COLUMN rag_internal.reranker.max_tokens IS 'The window of question and passage together, special tokens included; null: not known.';

COMMENT ON COLUMN rag_internal.reranker.endpoints IS 'Where the provider http is reached, in order of preference. Names of environment variables, never keys.';

COMMENT ON COLUMN rag_internal.reranker.scores IS 'What the provider gives: probability, or logit, which becomes one by the logistic function.';

CREATE FUNCTION rag_internal.check_reranker(reranker rag_internal.reranker) RETURNS void
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
GD["ragsql"].require(6).check_reranker(reranker)
$$;

ALTER FUNCTION rag_internal.check_reranker(reranker rag_internal.reranker) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_reranker(reranker rag_internal.reranker) IS '22023 for bad endpoints, 42501 for hosts or key variables that rag.allow_http does not name.';

CREATE FUNCTION rag_internal.check_reranker_options(options jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _problem text;
begin
    if jsonb_typeof(options) <> 'object' then
        _problem := 'options is not a JSON object';
    else
        select case when k.name is null then format('unknown option: %s', o.key)
                    else format('%s is not %s', o.key, k.what) end
        into _problem
        from jsonb_each(options) o
        left join (values
            ('revision', 'a string', '$.type() == "string"'),
            ('max_tokens', 'a whole number from 64 to 1,000,000 or null',
             '$ == null || ($ >= 64 && $ <= 1000000 && $.floor() == $)'),
            ('is_default', 'a boolean', '$.type() == "boolean"'),
            ('scores', 'logit or probability', '$ == "logit" || $ == "probability"'),
            ('endpoints', 'a list of objects',
             '$.type() == "array" && !exists($[*] ? (@.type() != "object"))'))
            k (name, what, path) on k.name = o.key
        where k.name is null
           or (o.key = 'max_tokens' and o.value::text ~ '[.e]')
           or jsonb_path_match(o.value, ('strict ' || k.path)::jsonpath, '{}', true) is not true
        order by o.key
        limit 1;
    end if;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'Options: revision, max_tokens, is_default, scores, endpoints.';
    end if;
end
$_$;

ALTER FUNCTION rag_internal.check_reranker_options(options jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_reranker_options(options jsonb) IS '22023 for what is no object of options of rag.add_reranker with values of their types.';

CREATE FUNCTION rag_internal.check_search(request rag_internal.search_request) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _wrong text;
begin
    -- a vector can stand for the words where only meaning is asked for
    if (request).query_vector is null
       or coalesce((request).strategy, '') not in ('semantic', 'dense', 'vector')
       or not rag_internal.is_blank((request).query) then
        perform rag_internal.check_query((request).query);
    end if;
    if coalesce((request).top_k, 0) < 1 then
        raise exception using
            errcode = '22023',
            message = format('top_k is %s, but must be 1 or more',
                             coalesce((request).top_k::text, 'null')),
            hint    = 'It has no upper limit.';
    elsif coalesce((request).skip, -1) < 0 then
        raise exception using
            errcode = '22023',
            message = format('skip is %s, but must be 0 or more',
                             coalesce((request).skip::text, 'null')),
            hint    = 'The second page of 10 is top_k => 10, skip => 10.';
    end if;
    perform rag_internal.check_search_options(jsonb_strip_nulls(jsonb_build_object(
        'fusion', (request).fusion, 'candidates', (request).candidates,
        'max_distance', (request).max_distance, 'rerank', (request).rerank,
        'rerank_candidates', (request).rerank_candidates, 'expand', (request).expand,
        'max_per_document', (request).max_per_document)));
    -- these may be no numbers at all, which JSON does not have
    select format('%s is %s, but must be from 0 to 1', n.name, n.value) into _wrong
    from (values ('min_relevance', (request).min_relevance), ('gate', (request).gate),
                 ('mmr_lambda', (request).mmr_lambda)) n (name, value)
    where not n.value between 0 and 1
    limit 1;
    if found then
        raise exception using errcode = '22023', message = _wrong;
    elsif (request).min_score = 'NaN' then
        raise exception using errcode = '22023', message = 'min_score is no number';
    elsif (request).as_of not between '4000-01-01 BC' and '200000-01-01' then
        raise exception using
            errcode = '22023',
            message = format('as_of is %s, but must be a moment', (request).as_of),
            hint    = 'as_of => now() - interval ''1 year''';
    elsif (request).min_updated_at > (request).max_updated_at then
        raise exception using
            errcode = '22023',
            message = 'min_updated_at is after max_updated_at';
    end if;
end
$$;

ALTER FUNCTION rag_internal.check_search(request rag_internal.search_request) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_search(request rag_internal.search_request) IS '22023 for a blank or overlong query, and for arguments out of range.';

CREATE FUNCTION rag_internal.check_search_defaults(search_defaults jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _known constant text[] := array[
        'bm25_lead', 'cache', 'candidates', 'close_similarity', 'collapse', 'correct_typos',
        'expand', 'fusion', 'gate', 'highlight', 'max_distance', 'max_per_document',
        'min_relevance', 'min_score', 'mmr_lambda', 'rerank', 'rerank_candidates',
        'rerank_optional', 'rrf_k', 'strategy', 'weights'];
    _unknown text;
begin
    if jsonb_typeof(search_defaults) <> 'object' then
        raise exception using errcode = '22023', message = 'search_defaults is not a JSON object';
    end if;
    select left(k, 100) into _unknown
    from jsonb_object_keys(search_defaults) k
    where k <> all (_known)
    limit 1;
    if found then
        raise exception using
            errcode = '22023',
            message = format('search_defaults has an unknown key: %s', _unknown),
            hint    = format('Known keys: %s.', array_to_string(_known, ', '));
    elsif search_defaults ?| '{min_relevance, gate}'
          and coalesce(search_defaults ->> 'rerank', 'none') = 'none' then
        raise exception using
            errcode = '22023',
            message = 'min_relevance and gate judge by rerank_score, and rerank is not set';
    end if;
    perform rag_internal.check_search_options(search_defaults);
    perform rag_internal.strategy_named(coalesce(search_defaults ->> 'strategy', 'hybrid'));
    perform rag_internal.hybrid_weights(
        search_defaults -> 'weights', search_defaults ->> 'fusion',
        coalesce((search_defaults ->> 'rrf_k')::integer, 60));
end
$$;

ALTER FUNCTION rag_internal.check_search_defaults(search_defaults jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_search_defaults(search_defaults jsonb) IS 'Checks rag_internal.collection.search_defaults: arguments as rag.search takes them, and bm25_lead (of the best score over the second, from which on the semantic leg is skipped) and close_similarity (from which on nothing is reranked); 22023 for anything else.';

CREATE FUNCTION rag_internal.check_search_options(options jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _name text;
    _value jsonb;
    _must text;
begin
    for _name, _value in select e.key, e.value from jsonb_each(options) e order by e.key loop
        _must := case
            when _name = 'fusion' then
                case when _value not in ('"rrf"', '"linear"', '"convex"')
                     then 'rrf, linear or convex' end
            when _name = 'expand' then
                case when _value not in ('"chunk"', '"section"', '"neighbours"')
                     then 'chunk, section or neighbours' end
            when _name = 'rerank' then
                case when jsonb_typeof(_value) <> 'string' then 'the name of a reranker' end
            when _name in ('candidates', 'rerank_candidates', 'max_per_document') then
                case when _value::text !~ '^[0-9]{1,10}$'
                          or _value::text::bigint not between 1 and 2147483647
                     then 'a whole number of 1 or more' end
            when _name = 'rrf_k' then
                case when _value::text !~ '^[0-9]{1,7}$' or _value::text::integer > 1000000
                     then 'a whole number from 0 to 1,000,000' end
            when _name = 'max_distance' then
                case when _value::text not in ('0', '1', '2') then '0, 1 or 2' end
            when _name in ('correct_typos', 'rerank_optional', 'collapse', 'highlight') then
                case when jsonb_typeof(_value) <> 'boolean' then 'true or false' end
            when _name in ('min_relevance', 'gate', 'mmr_lambda', 'close_similarity') then
                case when not jsonb_path_match(
                              _value, '$.type() == "number" '
                                      '&& ($ == 0 || $ >= 1e-300 && $ <= 1)')
                     then 'a number from 0 to 1' end
            when _name = 'cache' then
                case when not jsonb_path_match(
                              _value, '$.type() == "object" && $.ttl.type() == "number" '
                                      '&& $.ttl >= 1 && $.ttl <= 86400 '
                                      '&& (!exists($.similarity) '
                                      '    || $.similarity.type() == "number" '
                                      '    && $.similarity >= 0.5 && $.similarity <= 1)')
                          or _value - '{ttl, similarity}'::text[] <> '{}'
                     then '{"ttl": seconds up to 86400, "similarity": 0.5 to 1 (optional)}' end
            when _name = 'bm25_lead' then
                case when not jsonb_path_match(
                              _value, '$.type() == "number" && $ >= 1 && $ <= 1000000')
                     then 'a number of 1 or more' end
            when _name = 'min_score' then
                case when not jsonb_path_match(
                              _value, '$.type() == "number" && ($ == 0 '
                                      '|| $ > -1e300 && $ < -1e-300 || $ > 1e-300 && $ < 1e300)')
                     then 'a number' end
            end;
        if _must is not null then
            raise exception using
                errcode = '22023',
                message = format('%s is %s, but must be %s', _name,
                                 left(_value #>> '{}', 100), _must);
        end if;
    end loop;
end
$_$;

ALTER FUNCTION rag_internal.check_search_options(options jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_search_options(options jsonb) IS '22023 for the first option, by name, whose value a search could not use. Options that are not given are not asked for.';

CREATE FUNCTION rag_internal.check_security_level(security_level integer) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if security_level not between 0 and 32767 then
        raise exception using
            errcode = '22023',
            message = format('security_level is %s, but must be 0 to 32767', security_level),
            hint    = '0 is for everybody who is a reader; above it, readers need that clearance.';
    end if;
end
$$;

ALTER FUNCTION rag_internal.check_security_level(security_level integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_security_level(security_level integer) IS '22023 where out of range.';

CREATE FUNCTION rag_internal.check_sources(identity rag_internal.identity, names text[], action text, is_real boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _denied text;
begin
    if (identity).sees_everything
       or not exists (select from rag_internal.restricted_tenant r
                      where r.tenant = (identity).tenant) then
        return;
    end if;
    select n into _denied
    from unnest(names) n
    where (is_real or n !~ '(^|/)(role|user|group):.*/')
      and not exists (select from rag_internal.allowed_source s
                      where s.tenant = (identity).tenant
                        and s.collection = n
                        and case action when 'search' then s.may_search else s.may_ingest end)
    limit 1;
    if found then
        raise exception using
            errcode = '42501',
            message = format('your tenant may not %s collection "%s"',
                             case action when 'search' then 'search' else 'ingest into' end,
                             _denied),
            hint    = 'rag_admin can allow it: rag.allow_source(...).';
    end if;
end
$$;

ALTER FUNCTION rag_internal.check_sources(identity rag_internal.identity, names text[], action text, is_real boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_sources(identity rag_internal.identity, names text[], action text, is_real boolean) IS '42501 naming the first collection that a restricted tenant is not allowed for action, search or ingest. OWNER/NAME passes, to be asked again, with is_real, by the name that it means.';

CREATE FUNCTION rag_internal.check_text_weights(title_weight integer, heading_weight integer) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not coalesce(title_weight, 0) between 0 and 10
       or not coalesce(heading_weight, 0) between 0 and 10 then
        raise exception using
            errcode = '22023',
            message = format('title_weight is %s and heading_weight %s, but both must be 0 to 10',
                             coalesce(title_weight::text, 'null'),
                             coalesce(heading_weight::text, 'null')),
            hint    = 'It is how often a title or heading counts in each passage; 0: not at all.';
    end if;
end
$$;

ALTER FUNCTION rag_internal.check_text_weights(title_weight integer, heading_weight integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_text_weights(title_weight integer, heading_weight integer) IS '22023 outside 0 to 10; null is allowed.';

CREATE FUNCTION rag_internal.check_vector(v public.vector, model rag_internal.model, what text) RETURNS public.vector
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if "public".vector_dims(v) <> (model).dimensions then
        raise exception using
            errcode = '22023',
            message = format('%s has %s dimensions, but model "%s" has %s', what,
                             "public".vector_dims(v), (model).name, (model).dimensions),
            hint    = 'Was it made by another model? rag.model lists them with their dimensions.';
    elsif "public".vector_norm(v) < 1e-6 then
        raise exception using
            errcode = '22023',
            message = format('%s has length zero, and so no direction', what),
            hint    = 'Leave it null: a passage without a vector is found by its words.';
    end if;
    return "public".l2_normalize(v);
end
$$;

ALTER FUNCTION rag_internal.check_vector(v public.vector, model rag_internal.model, what text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.check_vector(v public.vector, model rag_internal.model, what text) IS 'The vector scaled to length 1; 22023 for other dimensions than the model''s (naming both) and for length zero. null stays null.';

CREATE FUNCTION rag_internal.choose_candidates(ranking rag_internal.leg_hit[], request rag_internal.search_request) RETURNS rag_internal.leg_hit[]
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not (request).collapse and (request).max_per_document is null then
        return ranking;
    end if;
    return array(
        select row(s.leg, row_number() over (order by s.rank), s.score, s.document_id,
                   s.chunk_index, s.corrected_query)::rag_internal.leg_hit
        from (select t.*,
                     row_number() over (partition by t.document_id order by t.rank) as of_document
              from (select r.*,
                           row_number() over (partition by c.text_hash order by r.rank) as of_text
                    from unnest(ranking) r
                    join lateral (
                        select case when (request).collapse
                                    then md5(btrim(regexp_replace(
                                             lower(c.content), '[^[:alnum:]]+', ' ', 'g')))
                                    else c.chunk_id::text end as text_hash
                        from rag_internal.chunk c
                        where c.document_id = r.document_id and c.chunk_index = r.chunk_index
                    ) c on true) t
              where t.of_text = 1) s
        where coalesce(s.of_document <= (request).max_per_document, true)
        order by s.rank);
end
$$;

ALTER FUNCTION rag_internal.choose_candidates(ranking rag_internal.leg_hit[], request rag_internal.search_request) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.choose_candidates(ranking rag_internal.leg_hit[], request rag_internal.search_request) IS 'The ranking, each text once (case, white space and punctuation do not count) where collapse says so, and at most max_per_document passages of a document; ranks anew.';

CREATE FUNCTION rag_internal.chunk_counts(content text, starts integer[], ends integer[], kinds text[], token_counts integer[], settings jsonb, model rag_internal.model, source text, mime text) RETURNS rag_internal.chunk_counts
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
import json
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).chunk_counts(
    content, starts, ends, kinds, token_counts, json.loads(settings), model, source, mime)
$$;

ALTER FUNCTION rag_internal.chunk_counts(content text, starts integer[], ends integer[], kinds text[], token_counts integer[], settings jsonb, model rag_internal.model, source text, mime text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.chunk_counts(content text, starts integer[], ends integer[], kinds text[], token_counts integer[], settings jsonb, model rag_internal.model, source text, mime text) IS 'Counts that add up over documents; settings is rag_internal.document.indexed_as.';

CREATE FUNCTION rag_internal.chunking_for_ingest(collection rag_internal.collection, strategy text, chunk_size integer, overlap integer, min_chunk_size integer) RETURNS rag_internal.collection
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if num_nonnulls(chunking_for_ingest.strategy, chunking_for_ingest.chunk_size,
                    chunking_for_ingest.overlap, chunking_for_ingest.min_chunk_size) = 0 then
        return collection;
    end if;
    if chunking_for_ingest.strategy is not null then
        -- sizes of another strategy are in another unit
        collection.chunk_size := null;
        collection.overlap := null;
        collection.min_chunk_size := null;
    end if;
    collection.chunk_size := coalesce(chunking_for_ingest.chunk_size, collection.chunk_size);
    collection.overlap := coalesce(chunking_for_ingest.overlap, collection.overlap);
    collection.min_chunk_size := coalesce(chunking_for_ingest.min_chunk_size,
                                          collection.min_chunk_size);
    collection.strategy := rag_internal.check_chunking(
        coalesce(chunking_for_ingest.strategy, collection.strategy), collection.chunk_size,
        collection.overlap, collection.min_chunk_size, collection.model_id is not null, null);
    return collection;
end
$$;

ALTER FUNCTION rag_internal.chunking_for_ingest(collection rag_internal.collection, strategy text, chunk_size integer, overlap integer, min_chunk_size integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.chunking_for_ingest(collection rag_internal.collection, strategy text, chunk_size integer, overlap integer, min_chunk_size integer) IS 'The row of a collection with what an ingest overrides (null: nothing); 22023 as rag_internal.check_chunking.';

CREATE FUNCTION rag_internal.citation(document_id uuid, chunk_index integer, content_hash bytea, content text, start_offset integer, end_offset integer, keyed boolean DEFAULT false) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _document bytea := content_hash;
    _passage bytea := sha256(convert_to(content, 'UTF8'));
begin
    if keyed then
        _document := rag_internal.keyed_hash(_document);
        _passage := rag_internal.keyed_hash(_passage);
    end if;
    return format('%s/%s@%s.%s:%s-%s', document_id, chunk_index,
                  left(encode(_document, 'hex'), 16), left(encode(_passage, 'hex'), 16),
                  start_offset, end_offset);
end
$$;

ALTER FUNCTION rag_internal.citation(document_id uuid, chunk_index integer, content_hash bytea, content text, start_offset integer, end_offset integer, keyed boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.citation(document_id uuid, chunk_index integer, content_hash bytea, content text, start_offset integer, end_offset integer, keyed boolean) IS 'document/chunk@hash.hash:start-end: the hashes of the whole document and of the passage. keyed: for a reader who may read the passage redacted only, and must not guess at it.';

CREATE FUNCTION rag_internal.cited_span(document rag_internal.document, document_hash text, passage_hash text, start_offset integer, end_offset integer, is_redacted boolean) RETURNS integer
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _keyed text := left(encode(rag_internal.keyed_hash((document).content_hash), 'hex'), 16);
    _secret bytea;
    _found integer;
begin
    if passage_hash is null then
        -- a citation from before passages had hashes
        return case when document_hash = _keyed
                      or not is_redacted
                         and document_hash = left(encode((document).content_hash, 'hex'), 16)
                    then start_offset end;
    end if;
    if not is_redacted then
        _found := rag_internal.find_passage((document).content, passage_hash,
                                            end_offset - start_offset, start_offset, null);
    end if;
    if _found is null then
        _secret := (select k.secret from rag_internal.ticket_key k);
        _found := rag_internal.find_passage((document).content, passage_hash,
                                            end_offset - start_offset, start_offset, _secret);
    end if;
    return _found;
end
$$;

ALTER FUNCTION rag_internal.cited_span(document rag_internal.document, document_hash text, passage_hash text, start_offset integer, end_offset integer, is_redacted boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.cited_span(document rag_internal.document, document_hash text, passage_hash text, start_offset integer, end_offset integer, is_redacted boolean) IS 'Where the cited text begins; null where it is gone, or where its hash cannot be checked.';

CREATE FUNCTION rag_internal.collection_for_ingest(identity rag_internal.identity, name text) RETURNS rag_internal.collection
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _collection rag_internal.collection;
    _owner_id bigint;
begin
    perform rag_internal.require_visible_text('collection', collection_for_ingest.name);
    perform rag_internal.check_sources(identity, array[collection_for_ingest.name], 'ingest');
    begin
        _collection := rag_internal.own_collection(identity, collection_for_ingest.name, false,
                                                   or_write => true);
        perform rag_internal.check_sources(identity, array[_collection.name], 'ingest',
                                           is_real => true);
        return _collection;
    exception when no_data_found then
        if collection_for_ingest.name ~ '(^|/)(role|user|group):.*/' then
            raise;  -- OWNER/NAME: nothing that could be made
        end if;
    end;
    _owner_id := rag_internal.owner_for(identity);
    begin
        perform rag_internal.create_collection(identity, collection_for_ingest.name, null, null,
                                               null, null, null, null, null, 'english', '{}', null,
                                               null, null);
    exception when duplicate_object then
        null;  -- made in another session since
    end;
    -- its owner may be a principal only now
    identity.principal_ids := identity.principal_ids || _owner_id;
    return rag_internal.own_collection(identity, collection_for_ingest.name, false,
                                       or_write => true);
end
$$;

ALTER FUNCTION rag_internal.collection_for_ingest(identity rag_internal.identity, name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.collection_for_ingest(identity rag_internal.identity, name text) IS 'The locked row of the collection, created where it is missing; 42501 where it is another''s, or not a source that the tenant may ingest into.';

CREATE FUNCTION rag_internal.collection_info(identity rag_internal.identity, names text[]) RETURNS SETOF rag.collection_info
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select k.name, rag_internal.owner_name(owner), k.description,
           case when rag_internal.owns_collection(identity, k)
                then array(select rag_internal.shown_name(p)
                           from rag_internal.acl_reader ar
                           join rag_internal.principal p using (principal_id)
                           where ar.acl_id = k.acl_id order by 1) end,
           k.strategy, k.chunk_size, k.overlap, k.min_chunk_size, coalesce(m.name, 'none'),
           k.text_config, k.search_defaults, seen.documents, seen.chunks, seen.characters,
           k.created_at, k.updated_at, k.min_value, k.title_weight, k.heading_weight, k.tenant,
           acl.security_level::integer,
           case when rag_internal.owns_collection(identity, k)
                then array(select rag_internal.shown_name(p)
                           from rag_internal.collection_writer w
                           join rag_internal.principal p using (principal_id)
                           where w.collection_id = k.collection_id order by 1) end
    from rag_internal.visible_collections(identity, names) k
    join rag_internal.principal owner on owner.principal_id = k.owner_id
    join rag_internal.acl on acl.acl_id = k.acl_id
    left join rag_internal.model m on m.model_id = k.model_id
    cross join lateral (
        select count(*) as documents, coalesce(sum(length(d.content)), 0)::bigint as characters,
               coalesce(sum((select count(*) from rag_internal.chunk c
                             where c.document_id = d.document_id)), 0)::bigint as chunks
        from rag_internal.document d
        where d.collection_id = k.collection_id
          and d.acl_id in (select rag_internal.visible_acls(identity))) seen
    order by k.name
$$;

ALTER FUNCTION rag_internal.collection_info(identity rag_internal.identity, names text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.collection_info(identity rag_internal.identity, names text[]) IS 'A row per visible collection (names null: all); counts are of what the identity can see.';

CREATE FUNCTION rag_internal.completed_request(request rag_internal.search_request, scope rag_internal.scope) RETURNS rag_internal.search_request
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _request rag_internal.search_request := request;
    _defaults jsonb := '{}';
begin
    if _request.strategy is null
       or rag_internal.strategy_named(_request.strategy) not in ('bm25', 'fuzzy') then
        -- asked for by name, a lexical leg needs no defaults, and is spared looking for them
        _defaults := rag_internal.search_defaults(scope);
    end if;
    _request.strategy := rag_internal.strategy_named(
        coalesce(_request.strategy, _defaults ->> 'strategy', 'hybrid'));
    _request.fusion := coalesce(_request.fusion, _defaults ->> 'fusion', 'rrf');
    _request.rrf_k := coalesce(_request.rrf_k, (_defaults ->> 'rrf_k')::integer, 60);
    if _request.strategy = 'hybrid' or request.weights is not null or request.rrf_k is not null then
        _request.weights := rag_internal.hybrid_weights(
            coalesce(_request.weights, _defaults -> 'weights'), _request.fusion, _request.rrf_k);
    end if;
    _request.candidates := coalesce(_request.candidates, (_defaults ->> 'candidates')::integer);
    _request.min_score := coalesce(_request.min_score, (_defaults ->> 'min_score')::float8);
    _request.correct_typos := coalesce(_request.correct_typos,
                                       (_defaults ->> 'correct_typos')::boolean, false);
    _request.max_distance := coalesce(_request.max_distance,
                                      (_defaults ->> 'max_distance')::integer, 2);
    _request.rerank := nullif(coalesce(_request.rerank, _defaults ->> 'rerank'), 'none');
    _request.rerank_candidates := coalesce(_request.rerank_candidates,
                                           (_defaults ->> 'rerank_candidates')::integer);
    _request.rerank_optional := coalesce(_request.rerank_optional,
                                         (_defaults ->> 'rerank_optional')::boolean, false);
    if _request.rerank is not null then
        _request.min_relevance := coalesce(_request.min_relevance,
                                           (_defaults ->> 'min_relevance')::float8);
        _request.gate := coalesce(_request.gate, (_defaults ->> 'gate')::float8);
    end if;
    _request.mmr_lambda := coalesce(_request.mmr_lambda, (_defaults ->> 'mmr_lambda')::float8);
    _request.collapse := coalesce(_request.collapse, (_defaults ->> 'collapse')::boolean,
                                  _request.mmr_lambda is not null);
    _request.max_per_document := coalesce(_request.max_per_document,
                                          (_defaults ->> 'max_per_document')::integer);
    _request.expand := coalesce(_request.expand, _defaults ->> 'expand', 'chunk');
    _request.highlight := coalesce(_request.highlight, (_defaults ->> 'highlight')::boolean, false);
    _request.bm25_lead := (_defaults ->> 'bm25_lead')::float8;
    _request.cache := nullif(coalesce(_request.cache, _defaults -> 'cache'), 'null');
    _request.close_similarity := (_defaults ->> 'close_similarity')::float8;
    if cardinality(rag_internal.legs_of(_request)) = 0 then
        raise exception using
            errcode = '22023',
            message = 'the only leg with a weight is that of hyde_vector, which is null';
    elsif _request.rerank is null
          and coalesce(_request.min_relevance, _request.gate) is not null then
        raise exception using
            errcode = '22023',
            message = 'min_relevance and gate judge by rerank_score, and nothing is reranked',
            hint    = 'Name a reranker: rerank => ''default'' takes the one that is the default.';
    end if;
    return _request;
end
$$;

ALTER FUNCTION rag_internal.completed_request(request rag_internal.search_request, scope rag_internal.scope) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.completed_request(request rag_internal.search_request, scope rag_internal.scope) IS 'The request as it is carried out; 22023 for an unknown strategy, for weights that mean nothing, and for thresholds on a rerank_score that there is not.';

CREATE FUNCTION rag_internal.context_hit(hit rag.hit) RETURNS jsonb
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _start_line integer := hit.start_line;
    _end_line integer := hit.end_line;
begin
    if hit.expanded is not null then
        select hit.start_line
                   - rag_internal.line_breaks(
                         substr(d.content, hit.expanded_start + 1,
                                hit.start_offset - hit.expanded_start)),
               hit.start_line
                   - rag_internal.line_breaks(
                         substr(d.content, hit.expanded_start + 1,
                                hit.start_offset - hit.expanded_start))
                   + rag_internal.line_breaks(
                         rtrim(substr(d.content, hit.expanded_start + 1,
                                      hit.expanded_end - hit.expanded_start), E'\n'))
        into _start_line, _end_line
        from rag_internal.document d
        where d.document_id = hit.document_id;
    end if;
    return jsonb_build_object(
        'document_id', hit.document_id, 'chunk_index', hit.chunk_index,
        'collection', hit.collection, 'source', hit.source, 'version', hit.version,
        'title', hit.title, 'heading', hit.heading, 'page', hit.page,
        'content', coalesce(hit.expanded, hit.content),
        'start_offset', coalesce(hit.expanded_start, hit.start_offset),
        'end_offset', coalesce(hit.expanded_end, hit.end_offset),
        'start_line', _start_line, 'end_line', _end_line,
        'rank', hit.rank, 'score', hit.score, 'rerank_score', hit.rerank_score,
        'citation', hit.citation);
end
$$;

ALTER FUNCTION rag_internal.context_hit(hit rag.hit) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.context_hit(hit rag.hit) IS 'The hit, or the expanded passage in its place.';

CREATE FUNCTION rag_internal.contributions(hits rag_internal.leg_hit[], request rag_internal.search_request, depth bigint) RETURNS SETOF rag_internal.leg_hit
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return query
        select h.leg, h.rank,
               (case (request).fusion
                    -- rag_internal.reciprocal_rank, which would not be inlined
                    when 'rrf' then w.weight / ((request).rrf_k::double precision + h.rank)
                    when 'linear' then w.weight * (1 - (h.rank - 1) / count(*) over leg::float8)
                    when 'convex' then
                        w.weight * case when h.leg in ('semantic', 'hyde')
                                        then coalesce((h.score - min(h.score) over leg)
                                                      / nullif(max(h.score) over leg
                                                               - min(h.score) over leg, 0), 1)
                                        else coalesce(h.score / nullif(max(h.score) over leg, 0), 1)
                                   end
                end),
               h.document_id, h.chunk_index, h.corrected_query
        from unnest(hits) h
        join lateral (select ((request).weights ->> h.leg)::double precision as weight) w on true
        where h.rank <= contributions.depth
        window leg as (partition by h.leg);
end
$$;

ALTER FUNCTION rag_internal.contributions(hits rag_internal.leg_hit[], request rag_internal.search_request, depth bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.contributions(hits rag_internal.leg_hit[], request rag_internal.search_request, depth bigint) IS 'The hits within depth, with their part of the fused score as score. rrf: weight / (rrf_k + rank) (Cormack, Clarke, Buettcher, SIGIR 2009). linear: weight (1 - (rank - 1) / length of the list). convex: weight x score, min-max over the list of a leg by vectors, divided by the best one of a leg by words (Bruch, Gai, Ingber, ACM TOIS 2023).';

CREATE FUNCTION rag_internal.correct_words(query text, scope rag_internal.scope) RETURNS SETOF rag.correction
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'iso'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).corrections(query, scope)
$$;

ALTER FUNCTION rag_internal.correct_words(query text, scope rag_internal.scope) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.correct_words(query text, scope rag_internal.scope) IS 'A row per word of the query, or per two that belong together, in the order of writing.';

CREATE FUNCTION rag_internal.corrected_query(query text, scope rag_internal.scope, max_distance integer) RETURNS text
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'iso'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).corrected_query(query, scope, max_distance)
$$;

ALTER FUNCTION rag_internal.corrected_query(query text, scope rag_internal.scope, max_distance integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.corrected_query(query text, scope rag_internal.scope, max_distance integer) IS 'The query with each word that nothing visible holds replaced by the nearest visible one within max_distance edits; quoted parts, identifiers, exclusions and filters stay.';

CREATE FUNCTION rag_internal.create_collection(identity rag_internal.identity, name text, description text, readers text[], strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer, security_level integer DEFAULT NULL::integer, tenant text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _owner_id bigint := rag_internal.owner_for(identity);
    _tenant text := coalesce(create_collection.tenant, (identity).tenant);
    _model rag_internal.model;
    _acl_id bigint;
    _strategy text;
begin
    perform rag_internal.check_name(create_collection.name);
    perform rag_internal.check_security_level(create_collection.security_level);
    if _tenant <> (identity).tenant and not (identity).sees_everything then
        raise exception using
            errcode = '42501',
            message = format('you are not of tenant "%s"', _tenant),
            hint    = 'Leave tenant out for your own; only rag_admin makes collections of others.';
    end if;
    if create_collection.model is distinct from 'none' then
        _model := rag_internal.usable_model(create_collection.model);
    end if;
    _strategy := rag_internal.check_chunking(
        create_collection.strategy, create_collection.chunk_size, create_collection.overlap,
        create_collection.min_chunk_size, _model.model_id is not null, create_collection.min_value);
    perform rag_internal.check_search_defaults(create_collection.search_defaults);
    perform rag_internal.check_text_weights(create_collection.title_weight,
                                            create_collection.heading_weight);

    insert into rag_internal.acl (tenant, security_level)
    values (_tenant, coalesce(create_collection.security_level, 0))
    returning acl_id into _acl_id;
    insert into rag_internal.acl_reader (principal_id, acl_id)
    select distinct p.principal_id, _acl_id
    from (select _owner_id
          union
          select rag_internal.principal_for(r, _tenant) from unnest(readers) r) p (principal_id);
    insert into rag_internal.collection (name, tenant, owner_id, acl_id, description, strategy,
                                         chunk_size, overlap, min_chunk_size, model_id, text_config,
                                         search_defaults, min_value, title_weight,
                                         heading_weight, analyzed_as)
    values (create_collection.name, _tenant, _owner_id, _acl_id, create_collection.description,
            _strategy, create_collection.chunk_size, create_collection.overlap,
            create_collection.min_chunk_size, _model.model_id,
            rag_internal.canonical_text_config(create_collection.text_config),
            create_collection.search_defaults, create_collection.min_value,
            coalesce(create_collection.title_weight, 2),
            coalesce(create_collection.heading_weight, 1),
            rag_internal.analyzer_stamp(create_collection.text_config));
exception when unique_violation then
    raise exception using
        errcode = '42710',
        message = format('the collection name "%s" is taken', create_collection.name),
        hint    = 'You own a collection of this name: choose another one.';
end
$$;

ALTER FUNCTION rag_internal.create_collection(identity rag_internal.identity, name text, description text, readers text[], strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer, security_level integer, tenant text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.create_collection(identity rag_internal.identity, name text, description text, readers text[], strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer, security_level integer, tenant text) IS 'See rag.create_collection; 42710 where its owner has one of this name.';

CREATE FUNCTION rag_internal.cut_spans(input text, spans rag_internal.redacted_span[]) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _encoding constant name := getdatabaseencoding();
    _bytes bytea;
begin
    if spans = '{}' then
        return input;
    end if;
    _bytes := convert_to(input, _encoding);
    return (
        select string_agg(
                   convert_from(substring(_bytes from s.kept_from + 1
                                          for s.first_byte - s.kept_from), _encoding)
                   || s.replacement, '' order by s.first_byte)
               || convert_from(substring(_bytes from max(s.past_byte) + 1), _encoding)
        from (select p.first_byte, p.past_byte, p.replacement,
                     coalesce(lag(p.past_byte) over (order by p.first_byte), 0) as kept_from
              from unnest(spans) p) s);
end
$$;

ALTER FUNCTION rag_internal.cut_spans(input text, spans rag_internal.redacted_span[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.cut_spans(input text, spans rag_internal.redacted_span[]) IS 'The text with each of its spans replaced.';

CREATE FUNCTION rag_internal.default_weights(fusion text) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return (
        select case fusion
                   when 'linear' then '{"semantic": 0.7, "hyde": 0.7, "bm25": 0.3, "fuzzy": 0}'
                   when 'convex' then '{"semantic": 0.4, "hyde": 0.4, "bm25": 0.6, "fuzzy": 0}'
                   else '{"semantic": 0.6, "hyde": 0.6, "bm25": 0.3, "fuzzy": 0.1}'
               end::jsonb);
end
$$;

ALTER FUNCTION rag_internal.default_weights(fusion text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.default_weights(fusion text) IS 'Weights of the legs in a fusion: rrf, linear or convex.';

CREATE FUNCTION rag_internal.delete_documents(identity rag_internal.identity, document_ids uuid[]) RETURNS SETOF rag.removal
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _readable uuid[] := array(
        select d.document_id from rag_internal.document d
        where d.document_id = any (delete_documents.document_ids)
          and d.acl_id in (select rag_internal.visible_acls(identity))
          and d.collection_id <> all (rag_internal.redacted_collections(identity)));
    _removed rag.removal[] := array(
        select r from rag_internal.removals(delete_documents.document_ids) r);
begin
    -- answers are of ids only; those that another session is removing are as good as gone
    delete from rag_internal.cached_answer a
    where a.answer_id in (
        select e.answer_id from rag_internal.cached_answer e
        where e.collection_ids && array(
                  select d.collection_id from rag_internal.document d
                  where d.document_id = any (delete_documents.document_ids))
        for update skip locked);
    delete from rag_internal.document d
    where d.document_id = any (delete_documents.document_ids);
    return query
        select r.kind, r.document_id, r.collection,
               case when r.document_id = any (_readable) then r.source end,
               case when r.document_id = any (_readable) then r.version end,
               r.passages, r.vectors, r.entries
        from unnest(_removed) r;
end
$$;

ALTER FUNCTION rag_internal.delete_documents(identity rag_internal.identity, document_ids uuid[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.delete_documents(identity rag_internal.identity, document_ids uuid[]) IS 'What was removed; source and version are null where the identity could not read them.';

CREATE FUNCTION rag_internal.derive_document() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if new.content <> old.content and new.content_hash = old.content_hash then
        new.content_hash := sha256(convert_to(new.content, 'UTF8'));
        new.indexed_as := '{}';
    end if;
    new.attributes := rag_internal.attributes(new);
    return new;
end
$$;

ALTER FUNCTION rag_internal.derive_document() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.derive_document() IS 'content_hash and attributes of a changed document; indexed_as {} asks rag_internal.resplit_document for new passages.';

CREATE FUNCTION rag_internal.detector_pattern(name text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    -- what parts groups of digits: space, tab, no-break and thin spaces, dashes
    _gap constant text := '[ \t\u00a0\u2000-\u200a\u202f\u2010-\u2015\u2212-]{0,3}';
    _phone_gap constant text :=
        '[ \t\u00a0\u2000-\u200a\u202f\u2010-\u2015\u2212().\/-]{0,3}';
    _word constant text := '[^[:space:]@<>()\[\]{},;:"]+';
    _octets constant text := '[0-9]{1,3}(?:\.[0-9]{1,3}){3}';
    _key constant text := '[A-Z0-9 ]*?PRIVATE KEY[A-Z0-9 ]*?';
    _pattern constant text := case name
        when 'email' then _word || '@' || _word
        when 'phone' then '[+(]*[0-9](?:' || _phone_gap || '[0-9]){6,}'
        when 'credit_card' then '[0-9](?:' || _gap || '[0-9]){12,}'
        -- as it is printed, or in groups as it is typed
        when 'iban' then
            '[A-Z]{2}' || _gap || '[0-9]' || _gap || '[0-9](?:' || _gap || '[A-Z0-9]){11,}'
            || '|[A-Za-z]{2}[0-9]{2}(?:' || _gap || '[A-Za-z0-9]{4}){2,}'
            || '(?:' || _gap || '[A-Za-z0-9]{1,3})?'
        when 'us_ssn' then
            '[0-9]{3}(?:' || _gap || '|\.)[0-9]{2}(?:' || _gap || '|\.)[0-9]{4}'
        when 'ipv4' then _octets
        when 'ipv6' then
            '(?:[0-9A-Fa-f]{1,4}:){6}(?:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}|' || _octets || ')'
            || '|(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?::'
            || '(?:(?:[0-9A-Fa-f]{1,4}:){0,6}(?:' || _octets || '|[0-9A-Fa-f]{1,4}))?'
        -- base64url of {" or of { and white space, and more
        when 'jwt' then 'e(?:y[ABIJ]|w[01klop])[A-Za-z0-9_=-]{7,}(?:\.[A-Za-z0-9_=-]*)+'
        when 'aws_access_key' then
            '(?:A3T[A-Z0-9]|A[BCGIKNRS][A-Z]A)[A-Z0-9]{16,}'
            || '|[Ss][Ee][Cc][Rr][Ee][Tt][_ -]?[Aa][Cc][Cc][Ee][Ss][Ss][_ -]?'
            || '[Kk][Ee][Yy][^A-Za-z0-9+/]{0,20}[A-Za-z0-9+/=]{30,}'
        -- to the end of the text, where the block does not end before
        when 'private_key' then
            '-{4,5} ?BEGIN' || _key || '-{4,5}.*?(?:-{4,5} ?END' || _key || '-{4,5}|$)'
        when 'url_password' then
            '[A-Za-z][A-Za-z0-9+.-]*:\/\/'
            || '(?:[^[:space:]/?#:]*:[^[:space:]]*|[^[:space:]/?#]*)@' end;
begin
    if _pattern is null then
        raise exception using
            errcode = '22023',
            message = format('there is no detector "%s"',
                             coalesce(left(detector_pattern.name, 100), 'null')),
            hint    = 'Known are email, phone, credit_card, iban, us_ssn, ipv4, ipv6, jwt, '
                      'aws_access_key, private_key and url_password.';
    end if;
    return _pattern;
end
$_$;

ALTER FUNCTION rag_internal.detector_pattern(name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.detector_pattern(name text) IS 'The regular expression of a detector; 22023 for an unknown one.';

CREATE FUNCTION rag_internal.diagnose_models(identity rag_internal.identity) RETURNS SETOF rag.check_result
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _model rag_internal.model;
    _status jsonb;
    _waiting bigint;
    _failed bigint;
    _pause rag_internal.provider_pause;
begin
    for _model in
        select m.* from rag_internal.model m
        where m.is_default or pg_has_role((identity).who, 'rag_writer', 'usage')
           or m.model_id in (select k.model_id
                             from rag_internal.visible_collections(identity, null) k)
        order by m.is_default desc, m.name
    loop
        _status := rag_internal.model_status(_model);
        return next row(
            'model ' || _model.name,
            case when (_status ->> 'present')::boolean then 'ok' else 'fail' end,
            format('%s, %s dimensions, %s%s%s', _model.provider, _model.dimensions,
                   coalesce('window ' || _model.max_tokens || ' tokens', 'window unknown'),
                   case when _model.is_default then ', the default' else '' end,
                   case when (identity).sees_everything
                        then ', ' || concat_ws(' in ', _status ->> 'detail',
                                               nullif(_status ->> 'directory', '')) end),
            case when (_status ->> 'present')::boolean then null
                 when _model.provider = 'fastembed'
                      and exists (select from rag_internal.setting t where t.name = 'embedder')
                 then '`ragsql embedder --attach` starts the process that runs the models again.'
                 when _model.provider = 'fastembed'
                 then 'Put the model''s files into its folder: `ragsql up` does it for a server of '
                      'its own.'
                 else 'rag.allow_http names the hosts and the key variables that may be used; a '
                      'key is set in the environment that the server starts with.'
            end)::rag.check_result;
        continue when not (identity).sees_everything;
        select count(*) filter (where not t.is_dead), count(*) filter (where t.is_dead)
        into _waiting, _failed
        from rag_internal.embedding_task t
        where t.model_id = _model.model_id and t.job_id is not null;
        select p.* into _pause
        from rag_internal.provider_pause p
        where p.model_id = _model.model_id and p.until > statement_timestamp();
        if _waiting + _failed > 0 or _pause.model_id is not null then
            return next row(
                'queue of ' || _model.name, 'warn',
                format('%s passages wait for their vector, %s were given up%s',
                       _waiting, _failed,
                       ', and the provider rests until '
                       || date_trunc('second', _pause.until) || ': ' || _pause.reason),
                concat_ws(' ', case when _waiting > 0
                                    then 'call rag.run_jobs(), or `ragsql worker`, makes vectors.'
                               end,
                               case when _failed > 0
                                    then 'rag.dead_letter says what is wrong, rag.retry_job tries '
                                         'again.' end))::rag.check_result;
        end if;
    end loop;
    if (identity).sees_everything then
        return query
            select x.check_name, 'ok', coalesce(s.value, x.unset), null
            from (values ('embedder', 'embedder', 'none: sessions load models themselves'),
                         ('http_hosts', 'http hosts', 'none may be called'),
                         ('http_key_variables', 'http key variables', 'none may be sent'))
                 x (name, check_name, unset)
            left join rag_internal.setting s using (name);
    end if;
end
$$;

ALTER FUNCTION rag_internal.diagnose_models(identity rag_internal.identity) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.diagnose_models(identity rag_internal.identity) IS 'Each model, and for who sees everything its queue and where calls may go.';

CREATE FUNCTION rag_internal.diagnose_rerankers(identity rag_internal.identity) RETURNS SETOF rag.check_result
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select 'reranker ' || r.name,
           case when s.present then 'ok' else 'fail' end,
           format('%s, %s%s%s', r.provider,
                  coalesce('window ' || r.max_tokens || ' tokens', 'window as its files say'),
                  case when r.is_default then ', the default' else '' end,
                  case when (identity).sees_everything
                       then ', ' || concat_ws(' in ', s.detail, nullif(s.directory, '')) end),
           case when s.present then null
                when r.provider = 'http'
                then 'rag.allow_http names the hosts and the key variables that may be used; a key '
                     'is set in the environment that the server starts with.'
                when exists (select from rag_internal.setting t where t.name = 'embedder')
                then '`ragsql embedder --attach` starts the process that runs the models again.'
                else 'Put its files into its folder below the server''s folder of models.' end
    from rag_internal.reranker r
    cross join lateral jsonb_to_record(rag_internal.reranker_status(r))
        s (present boolean, detail text, directory text)
    order by r.is_default desc, r.name
$$;

ALTER FUNCTION rag_internal.diagnose_rerankers(identity rag_internal.identity) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.diagnose_rerankers(identity rag_internal.identity) IS 'Each reranker; where its files are, for who sees everything.';

CREATE FUNCTION rag_internal.diversify(ranking rag_internal.leg_hit[], lambda double precision, block bigint, reach bigint) RETURNS rag_internal.leg_hit[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _first bigint := 1;
    _block rag_internal.leg_hit[];
    _order integer[];
    _varied rag_internal.leg_hit[] := '{}';
begin
    -- each block by itself, so that the top 5 are the beginning of the top 10
    while _first <= least(reach, cardinality(ranking)) loop
        _block := ranking[_first : least(_first + block - 1, cardinality(ranking))];
        select rag_internal.marginal_relevance(
                   array_agg(p.score order by p.ordinality),
                   array_agg(c.content order by p.ordinality),
                   array_agg(e.v order by p.ordinality), lambda)
        into _order
        from unnest(_block) with ordinality p
        join rag_internal.chunk c using (document_id, chunk_index)
        join rag_internal.document d using (document_id)
        join rag_internal.collection k using (collection_id)
        left join lateral (
            select coalesce("public".halfvec_send(e.v),
                            "public".vector_send(e.full_v)) as v
            from rag_internal.embedding e
            where e.model_id = k.model_id and e.chunk_id = c.chunk_id) e on true;
        _varied := _varied || array(
            select row(p.leg, _first - 1 + o.place, p.score, p.document_id, p.chunk_index,
                       p.corrected_query)::rag_internal.leg_hit
            from unnest(_order) with ordinality o (number, place)
            join unnest(_block) with ordinality p on p.ordinality = o.number
            order by o.place);
        _first := _first + block;
    end loop;
    return _varied || ranking[cardinality(_varied) + 1 :];
end
$$;

ALTER FUNCTION rag_internal.diversify(ranking rag_internal.leg_hit[], lambda double precision, block bigint, reach bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.diversify(ranking rag_internal.leg_hit[], lambda double precision, block bigint, reach bigint) IS 'The ranking up to reach, in blocks, each by maximal marginal relevance; then the rest.';

CREATE TABLE rag_internal.acl (
    acl_id bigint DEFAULT rag_internal.new_id() NOT NULL,
    reader_set bytea,
    tenant text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    security_level smallint DEFAULT 0 NOT NULL,
    grants_id bigint,
    CONSTRAINT acl_readers_are_its_own_or_granted CHECK (((grants_id IS NULL) OR (reader_set IS NULL))),
    CONSTRAINT acl_security_level_not_negative CHECK ((security_level >= 0))
);

ALTER TABLE rag_internal.acl OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.acl IS 'A sharing class. Where reader_set is null it is the mutable class of one collection, or, with grants_id, has the readers of that class and a security level of its own; else an immutable set of readers, interned by the SHA-256 of its sorted principals.';

CREATE FUNCTION rag_internal.document_acl(collection rag_internal.collection, readers text[], security_level integer, stored rag_internal.acl) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform rag_internal.check_security_level(document_acl.security_level);
    if readers is not null then
        return rag_internal.intern_readers(
            array(select rag_internal.principal_for(r, (collection).tenant) from unnest(readers) r),
            (collection).tenant,
            coalesce(document_acl.security_level::smallint, (stored).security_level,
                     (select a.security_level from rag_internal.acl a
                      where a.acl_id = (collection).acl_id)));
    elsif document_acl.security_level is not null and (stored).reader_set is not null then
        return rag_internal.intern_readers(
            array(select ar.principal_id from rag_internal.acl_reader ar
                  where ar.acl_id = (stored).acl_id),
            (stored).tenant, document_acl.security_level::smallint);
    elsif document_acl.security_level is not null then
        return rag_internal.level_acl(collection, document_acl.security_level::smallint);
    end if;
    return null;
end
$$;

ALTER FUNCTION rag_internal.document_acl(collection rag_internal.collection, readers text[], security_level integer, stored rag_internal.acl) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.document_acl(collection rag_internal.collection, readers text[], security_level integer, stored rag_internal.acl) IS 'acl_id of the class, null where readers and level are; 22023 for a level out of range.';

CREATE FUNCTION rag_internal.document_type(content text, source text, mime text) RETURNS text
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).document_type(content, source, mime)
$$;

ALTER FUNCTION rag_internal.document_type(content text, source text, mime text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.document_type(content text, source text, mime text) IS 'code, prose, markdown or structured.';

CREATE FUNCTION rag_internal.draft_document(collection rag_internal.collection, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, security_level integer) RETURNS rag_internal.document
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _new rag_internal.document;
    _stored rag_internal.acl;
begin
    _new.collection_id := (collection).collection_id;
    _new.content := draft_document.content;
    _new.content_hash := sha256(convert_to(draft_document.content, 'UTF8'));
    _new.source := coalesce(nullif(draft_document.source, ''), encode(_new.content_hash, 'hex'));
    _new.version := coalesce(draft_document.version, '');
    _new.language := draft_document.language;
    _new.mime := coalesce(draft_document.mime, 'text/plain');
    _new.title := draft_document.title;
    _new.tags := coalesce(draft_document.tags, '{}');
    _new.metadata := coalesce(draft_document.metadata, '{}');
    _new.status := 'active';
    _new.valid_from := draft_document.valid_from;
    _new.valid_until := draft_document.valid_until;
    perform rag_internal.check_document(_new);
    _new.text_config := rag_internal.text_config_for(_new.language, (collection).text_config);
    if readers is not null or security_level is not null then
        -- what is not said stays as it is stored, so nobody may be changing it
        perform from rag_internal.document d
        where d.collection_id = _new.collection_id and d.source = _new.source
          and d.version = _new.version
        for update;
        select a.* into _stored
        from rag_internal.document d join rag_internal.acl a using (acl_id)
        where d.collection_id = _new.collection_id and d.source = _new.source
          and d.version = _new.version;
        _new.acl_id := rag_internal.document_acl(collection, readers, security_level, _stored);
    end if;
    return _new;
end
$$;

ALTER FUNCTION rag_internal.draft_document(collection rag_internal.collection, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, security_level integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.draft_document(collection rag_internal.collection, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, security_level integer) IS 'The row of a document to be; acl_id is null where it is to have its collection''s readers, and indexed_as is left to the caller.';

CREATE FUNCTION rag_internal.embed_chunks(chunks rag_internal.prepared_chunk[], collection rag_internal.collection, model rag_internal.model, embed text) RETURNS rag_internal.prepared_chunk[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _contents text[];
    _hashes bytea[];
    _outcomes rag_internal.embedded_text[] := '{}';
    _fault rag_internal.embedded_text;
begin
    if (model).model_id is null then
        return chunks;
    end if;
    chunks := array(
        select row(c.chunk,
                   rag_internal.embed_hash((model).revision, coalesce((c.chunk).embed_text,
                                                                      (c.chunk).content)),
                   c.v, c.error)::rag_internal.prepared_chunk
        from unnest(chunks) with ordinality c (chunk, embed_hash, v, error, number)
        order by c.number);
    chunks := array(
        select row(c.chunk, c.embed_hash, coalesce(c.v, known.v), c.error)
               ::rag_internal.prepared_chunk
        from unnest(chunks) with ordinality c (chunk, embed_hash, v, error, number)
        left join lateral (
            select coalesce(e.full_v, e.v::"public".vector) as v
            from rag_internal.embedding e
            join rag_internal.collection k on k.collection_id = e.collection_id
            where e.model_id = (model).model_id and e.embed_hash = c.embed_hash
              and k.owner_id = (collection).owner_id
            limit 1) known on c.v is null
                          and coalesce((c.chunk).value >= (collection).min_value, true)
        order by c.number);
    if embed = 'later' then
        return chunks;
    end if;

    select array_agg(t.content), array_agg(t.embed_hash) into _contents, _hashes
    from (select distinct on (c.embed_hash) c.embed_hash,
                 coalesce((c.chunk).embed_text, (c.chunk).content) as content
          from unnest(chunks) c
          where c.v is null and coalesce((c.chunk).value >= (collection).min_value, true)) t;
    if _hashes is null then
        return chunks;
    end if;
    _outcomes := array(select o from rag_internal.embed_passages(_contents, model) o);
    select o.* into _fault from unnest(_outcomes) o where o.is_provider_fault limit 1;
    if found then
        raise exception using
            errcode = '55000',
            message = _fault.error,
            hint    = concat_ws(' ', _fault.hint, case when (model).provider = 'external'
                          then 'Or ingest with embed => ''later'', and hand the vectors in with '
                               'rag.set_embeddings.'
                          else 'Or ingest with embed => ''later'': the text is found by its words '
                               'at once, and by meaning once it is embedded.' end);
    end if;
    return array(
        select row(c.chunk, c.embed_hash, coalesce(c.v, o.v), o.error)::rag_internal.prepared_chunk
        from unnest(chunks) with ordinality c (chunk, embed_hash, v, error, number)
        left join unnest(_hashes) with ordinality h (embed_hash, number)
               on h.embed_hash = c.embed_hash and c.v is null
              and coalesce((c.chunk).value >= (collection).min_value, true)
        left join unnest(_outcomes) o on o.number = h.number
        order by c.number);
end
$$;

ALTER FUNCTION rag_internal.embed_chunks(chunks rag_internal.prepared_chunk[], collection rag_internal.collection, model rag_internal.model, embed text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.embed_chunks(chunks rag_internal.prepared_chunk[], collection rag_internal.collection, model rag_internal.model, embed text) IS 'The passages with embed_hash and vector; error where the model could not embed a text. A passage below min_value stays without, and embed later finds known vectors alone. 55000 where the model cannot be used.';

CREATE FUNCTION rag_internal.embed_hash(revision text, content text) RETURNS bytea
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select sha256(convert_to(format('%s|passage|%s', revision, content), 'UTF8'))
$$;

ALTER FUNCTION rag_internal.embed_hash(revision text, content text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.embed_hash(revision text, content text) IS 'SHA-256 of model revision, kind and exact text: rag_internal.embedding.embed_hash.';

CREATE FUNCTION rag_internal.embed_passages(texts text[], model rag_internal.model) RETURNS SETOF rag_internal.embedded_text
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).embed_passages(texts, model)
$$;

ALTER FUNCTION rag_internal.embed_passages(texts text[], model rag_internal.model) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.embed_passages(texts text[], model rag_internal.model) IS 'A row per text with its unit vector or what is wrong. Writes nothing.';

CREATE FUNCTION rag_internal.embed_query(query text, model rag_internal.model, asker text) RETURNS public.vector
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).embed_query(query, model, asker)
$$;

ALTER FUNCTION rag_internal.embed_query(query text, model rag_internal.model, asker text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.embed_query(query text, model rag_internal.model, asker text) IS 'The unit vector of a query. What a session keeps is kept for each caller by itself, so that nobody can time what another one asked. 55000 where the provider cannot be used.';

CREATE FUNCTION rag_internal.embed_texts(texts text[], kind text, model rag_internal.model) RETURNS public.vector[]
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).embed(texts, kind, model)
$$;

ALTER FUNCTION rag_internal.embed_texts(texts text[], kind text, model rag_internal.model) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.embed_texts(texts text[], kind text, model rag_internal.model) IS 'One unit vector per text, in order; kind is query or passage. A text beyond the window is the average of its windows, or 54000 where long_input of the model is error; a provider that cannot be used is 55000.';

CREATE FUNCTION rag_internal.embed_waiting(document rag_internal.document, collection rag_internal.collection) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _model rag_internal.model;
    _chunk_ids bigint[];
    _contents text[];
    _outcomes rag_internal.embedded_text[];
    _fault rag_internal.embedded_text;
    _job_ids bigint[];
begin
    select array_agg(c.chunk_id order by c.chunk_id),
           array_agg(coalesce(c.embed_text, c.content) order by c.chunk_id),
           array_agg(distinct t.job_id)
    into _chunk_ids, _contents, _job_ids
    from rag_internal.chunk c
    join rag_internal.embedding_task t using (chunk_id)
    where c.document_id = (document).document_id and t.model_id = (collection).model_id
      and t.job_id is not null;
    if _chunk_ids is null then
        return;
    end if;
    select m.* into _model from rag_internal.model m where m.model_id = (collection).model_id;
    _outcomes := array(select o from rag_internal.embed_passages(_contents, _model) o);
    select o.* into _fault from unnest(_outcomes) o where o.is_provider_fault limit 1;
    if found then
        raise exception using errcode = '55000', message = _fault.error, hint = _fault.hint;
    end if;
    update rag_internal.embedding_task t
    set is_dead = false, attempts = 0, error = null
    where t.model_id = _model.model_id and t.chunk_id = any (_chunk_ids) and t.is_dead;
    perform rag_internal.write_embeddings(_model, _chunk_ids, _contents, _outcomes);
    update rag_internal.embedding_task t
    set is_dead = true, claim_id = null, attempts = 1, error = o.error,
        failed_at = clock_timestamp()
    from unnest(_outcomes) o
    where t.model_id = _model.model_id and t.chunk_id = _chunk_ids[o.number]
      and o.error is not null;
    perform rag_internal.finish_jobs(_job_ids);
end
$$;

ALTER FUNCTION rag_internal.embed_waiting(document rag_internal.document, collection rag_internal.collection) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.embed_waiting(document rag_internal.document, collection rag_internal.collection) IS 'Embeds what waits in the document under the model that its collection is searched by; a text that fails again stays as it is. 55000 where the model cannot be used.';

CREATE FUNCTION rag_internal.engine_info() RETURNS jsonb
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
import json
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return json.dumps(GD["ragsql"].require(6).python_info())
$$;

ALTER FUNCTION rag_internal.engine_info() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.engine_info() IS 'Version, executable and paths of the engine''s Python.';

CREATE FUNCTION rag_internal.erasable_collections(identity rag_internal.identity, collections text[]) RETURNS bigint[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if collections is null then
        return array(select k.collection_id from rag_internal.collection k
                     where rag_internal.owns_collection(identity, k));
    end if;
    if collections = '{}' then
        raise exception using
            errcode = '22023',
            message = 'collections is empty',
            hint    = 'Name some, or leave it out: null is all that you own.';
    end if;
    return array(select (rag_internal.own_collection(identity, c.name, null)).collection_id
                 from unnest(collections) c (name));
end
$$;

ALTER FUNCTION rag_internal.erasable_collections(identity rag_internal.identity, collections text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.erasable_collections(identity rag_internal.identity, collections text[]) IS 'null: all that it owns; P0002 and 42501 for names of others.';

CREATE FUNCTION rag_internal.erase_datasets(identity rag_internal.identity, removed rag.removal[], pattern text, kind text, dry_run boolean) RETURNS SETOF rag.removal
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _own bigint[] := array(
        select d.dataset_id from rag_internal.dataset d
        where (identity).sees_everything
           or (d.owner_id = any ((identity).principal_ids) and d.tenant = (identity).tenant));
    _described bigint[];
    _queries rag_internal.dataset_query[];
    _judgments bigint[];
    _runs bigint[];
    _entries bigint;
begin
    _described := array(
        select d.dataset_id from rag_internal.dataset d
        where d.dataset_id = any (_own)
          and rag_internal.matches_pattern(d.description, pattern, erase_datasets.kind));
    _queries := array(
        select q from rag_internal.dataset_query q
        where q.dataset_id = any (_own)
          and (rag_internal.matches_pattern(q.query, pattern, erase_datasets.kind)
               or rag_internal.matches_pattern(q.query_id, pattern, erase_datasets.kind)));
    _judgments := array(
        select j.judgment_id from rag_internal.judgment j
        where j.dataset_id = any (_own)
          and (rag_internal.matches_pattern(j.source, pattern, erase_datasets.kind)
               or exists (select from unnest(removed) r
                          where r.source = j.source
                            and coalesce(r.collection = j.collection, true))));
    _runs := array(
        select distinct e.run_id from rag_internal.evaluation e
        where e.dataset_id = any (_own)
          and rag_internal.matches_pattern(e.settings::text, pattern, erase_datasets.kind));
    _entries := cardinality(_described) + cardinality(_queries) + cardinality(_judgments)
                + cardinality(_runs);
    if _entries = 0 then
        return;
    end if;
    return next row('dataset', null, null, null, null, null, null, _entries)::rag.removal;
    if dry_run then
        return;
    end if;

    update rag_internal.dataset d set description = null where d.dataset_id = any (_described);
    -- what is judged otherwise is not compared
    update rag_internal.dataset d set fingerprint = sha256(d.fingerprint)
    where d.dataset_id in (select q.dataset_id from unnest(_queries) q)
       or d.dataset_id in (select j.dataset_id from rag_internal.judgment j
                           where j.judgment_id = any (_judgments));
    delete from rag_internal.dataset_query q
    using unnest(_queries) e
    where q.dataset_id = e.dataset_id and q.query_id = e.query_id;
    delete from rag_internal.judgment j where j.judgment_id = any (_judgments);
    update rag_internal.evaluation e set settings = '{}' where e.run_id = any (_runs);
end
$$;

ALTER FUNCTION rag_internal.erase_datasets(identity rag_internal.identity, removed rag.removal[], pattern text, kind text, dry_run boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.erase_datasets(identity rag_internal.identity, removed rag.removal[], pattern text, kind text, dry_run boolean) IS 'Removes questions that match and judgments of sources that match or were removed, blanks descriptions and settings that match. A row of kind dataset with their number, where there is one.';

CREATE FUNCTION rag_internal.erase_entries(document_ids uuid[]) RETURNS bigint
    LANGUAGE plpython3u
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).erase_entries(document_ids)
$$;

ALTER FUNCTION rag_internal.erase_entries(document_ids uuid[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.erase_entries(document_ids uuid[]) IS 'How many postings there are less.';

CREATE FUNCTION rag_internal.erase_errors(identity rag_internal.identity, job_ids bigint[], pattern text, kind text) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _erased constant text := '(erased)';
    _all boolean := (identity).sees_everything;
    _changed bigint;
    _count bigint := 0;
begin
    if _all then
        update rag_internal.embedding_task t set error = _erased
        where rag_internal.matches_pattern(t.error, pattern, erase_errors.kind);
        get diagnostics _count = row_count;
        update rag_internal.provider_pause p set reason = _erased
        where rag_internal.matches_pattern(p.reason, pattern, erase_errors.kind);
        get diagnostics _changed = row_count;
        _count := _count + _changed;
    end if;
    perform from rag_internal.job j
    where j.error is not null
      and (j.job_id = any (job_ids)
           or (_all and rag_internal.matches_pattern(j.error, pattern, erase_errors.kind)))
    order by j.job_id
    for no key update;
    update rag_internal.job j
    set error = (select max(t.error) from rag_internal.embedding_task t where t.job_id = j.job_id)
    where j.error is not null
      and (j.job_id = any (job_ids)
           or (_all and rag_internal.matches_pattern(j.error, pattern, erase_errors.kind)));
    get diagnostics _changed = row_count;
    return _count + _changed;
end
$$;

ALTER FUNCTION rag_internal.erase_errors(identity rag_internal.identity, job_ids bigint[], pattern text, kind text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.erase_errors(identity rag_internal.identity, job_ids bigint[], pattern text, kind text) IS 'Errors of these jobs become those of the tasks that they still have; for who sees everything, errors that match go, too. How many.';

CREATE FUNCTION rag_internal.erase_logs(identity rag_internal.identity, document_ids uuid[], removed rag.removal[], pattern text, kind text, dry_run boolean) RETURNS SETOF rag.removal
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _erased constant text := '(erased)';
    _log_ids bigint[];
    _search_ids bigint[];
    _searches bigint := 0;
begin
    _log_ids := array(
        select l.log_id
        from rag_internal.ingest_log l
        where (l.source <> _erased or l.detail is not null)
          and (l.document_id = any (document_ids)
               or (rag_internal.owns_work(l.user_name, l.role_oid, l.reader, l.tenant, identity)
                   and (rag_internal.matches_pattern(l.source, pattern, erase_logs.kind)
                        or rag_internal.matches_pattern(l.detail, pattern, erase_logs.kind)
                        or (l.collection, l.source) in (select r.collection, r.source
                                                        from unnest(removed) r)))));
    if (identity).sees_everything then
        _search_ids := array(
            select s.log_id from rag_internal.search_log s
            where rag_internal.matches_pattern(s.query, pattern, erase_logs.kind));
    end if;
    if not dry_run then
        update rag_internal.ingest_log l set source = _erased, detail = null
        where l.log_id = any (_log_ids);
        update rag_internal.search_log s set query = null, query_hash = null
        where s.log_id = any (_search_ids);
    end if;
    return query
        select c.kind, null::uuid, null::text, null::text, null::text, null::bigint, null::bigint,
               c.entries
        from (values ('ingest_log', cardinality(_log_ids)::bigint),
                     ('search_log', cardinality(_search_ids)::bigint)) c (kind, entries)
        where c.entries > 0;
end
$$;

ALTER FUNCTION rag_internal.erase_logs(identity rag_internal.identity, document_ids uuid[], removed rag.removal[], pattern text, kind text, dry_run boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.erase_logs(identity rag_internal.identity, document_ids uuid[], removed rag.removal[], pattern text, kind text, dry_run boolean) IS 'Blanks source and detail of loads of these documents and sources, and of those that the identity ran and that match; for who sees everything, questions that match, too. A row for each kind of which there was one.';

CREATE TABLE rag_internal.dataset_query (
    dataset_id bigint NOT NULL,
    query_id text NOT NULL COLLATE pg_catalog."C",
    query text NOT NULL
);
ALTER TABLE ONLY rag_internal.dataset_query ALTER COLUMN query_id SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.dataset_query ALTER COLUMN query SET STATISTICS 0;

ALTER TABLE rag_internal.dataset_query OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.dataset_query IS 'The questions of a dataset.';

CREATE FUNCTION rag_internal.evaluate_query(identity rag_internal.identity, question rag_internal.dataset_query, request rag_internal.search_request, rules rag_internal.redaction_rule[]) RETURNS SETOF rag_internal.stage_score
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _wanted integer[] := array(
        select j.relevance from rag_internal.judgment j
        where j.dataset_id = (question).dataset_id and j.query_id = (question).query_id);
    _hits rag_internal.stage_hit[];
begin
    request.query := (question).query;
    _hits := array(select h from rag_internal.search_stages(identity, request) h);
    return query
        with unit as (
            select h.stage, coalesce(j.judgment_id::text, d.document_id::text) as name,
                   max(coalesce(j.relevance, 0)) as relevance, min(h.place) as place
            from unnest(_hits) h
            join rag_internal.document d using (document_id)
            join rag_internal.chunk c using (document_id, chunk_index)
            join rag_internal.collection k using (collection_id)
            left join rag_internal.judgment j
                   on j.dataset_id = (question).dataset_id and j.query_id = (question).query_id
                  and j.source = rag_internal.shown_source(d, rules)
                  and coalesce(j.collection = k.name, true)
                  and (j.start_offset is null
                       or 2 * (least(j.end_offset, c.end_offset)
                               - greatest(j.start_offset, c.start_offset))
                          >= least(j.end_offset - j.start_offset, c.end_offset - c.start_offset))
            where d.acl_id in (
                select rag_internal.visible_acls(identity, array(
                    select e.acl_id
                    from unnest(_hits) s join rag_internal.document e using (document_id))))
            group by h.stage, 2
        ), placed as (
            select u.stage, u.name, u.relevance,
                   row_number() over (partition by u.stage
                                      order by u.place, u.relevance desc, u.name) as place
            from unit u
        ), united as (
            select 'recall' as stage, p.name, max(p.relevance) as relevance, min(p.place) as place
            from placed p
            where p.stage not in ('recall', 'fusion', 'rerank', 'result')
            group by p.name
        )
        select s.*
        from (select r.stage, array_agg(r.place) as places, array_agg(r.relevance) as relevances
              from (table placed union all table united) r (stage, name, relevance, place)
              group by r.stage) r,
             lateral rag_internal.ranking_scores(r.stage, r.places, r.relevances, _wanted) s;
end
$$;

ALTER FUNCTION rag_internal.evaluate_query(identity rag_internal.identity, question rag_internal.dataset_query, request rag_internal.search_request, rules rag_internal.redaction_rule[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.evaluate_query(identity rag_internal.identity, question rag_internal.dataset_query, request rag_internal.search_request, rules rag_internal.redaction_rule[]) IS 'A row for each stage that found something. A document counts once, at its best passage; an excerpt at the first passage that shares half of the shorter of the two with it. recall of a hybrid: what is within the first places of any leg.';

CREATE FUNCTION rag_internal.evaluation_request(identity rag_internal.identity, strategy text, settings jsonb, collections text[], top_k integer, has_excerpts boolean) RETURNS rag_internal.search_request
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _known constant text[] := array[
        'allow_degraded', 'as_of', 'candidates', 'collapse', 'correct_typos', 'filter',
        'filter_path', 'fusion', 'gate', 'include_archived', 'max_distance', 'max_per_document',
        'max_updated_at', 'min_relevance', 'min_score', 'min_updated_at', 'mmr_lambda', 'rerank',
        'rerank_candidates', 'rrf_k', 'vars', 'weights'];
    _unknown text;
    _request rag_internal.search_request;
    _whole rag_internal.search_request;
begin
    if jsonb_typeof(settings) is distinct from 'object' then
        raise exception using errcode = '22023', message = 'settings is not a JSON object';
    end if;
    select left(k, 100) into _unknown
    from jsonb_object_keys(settings) k
    where k <> all (_known)
    limit 1;
    if found then
        raise exception using
            errcode = '22023',
            message = format('settings has an unknown key: %s', _unknown),
            hint    = format('Known keys: %s.', array_to_string(_known, ', '));
    end if;
    perform rag_internal.check_search_options(jsonb_strip_nulls(settings));
    _request := jsonb_populate_record(_request, settings);
    _request.strategy := rag_internal.strategy_named(evaluation_request.strategy);
    _request.collections := evaluation_request.collections;
    _request.top_k := evaluation_request.top_k;
    _request.skip := 0;
    -- nothing of it is shown
    _request.highlight := false;
    _request.expand := 'chunk';
    -- an answer that was kept has no stages
    _request.cache := 'null';
    -- what was left out cannot be measured
    _request.rerank_optional := false;
    _whole := rag_internal.completed_request(_request,
                                             rag_internal.search_scope(identity, _request));
    if _whole.rerank is null and _whole.mmr_lambda is null and not has_excerpts then
        -- a document counts once, at its best passage: others are passed over
        _request.max_per_document := coalesce(_whole.max_per_document, 1);
    elsif _whole.rerank is not null then
        _request.rerank_candidates := coalesce(_whole.rerank_candidates, _request.top_k);
    end if;
    return _request;
end
$$;

ALTER FUNCTION rag_internal.evaluation_request(identity rag_internal.identity, strategy text, settings jsonb, collections text[], top_k integer, has_excerpts boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.evaluation_request(identity rag_internal.identity, strategy text, settings jsonb, collections text[], top_k integer, has_excerpts boolean) IS 'The arguments of rag.search that settings name; 22023 for others, and for values that mean nothing. A reranker reads top_k passages unless something says otherwise.';

CREATE FUNCTION rag_internal.evaluation_stages(request rag_internal.search_request) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case when (request).strategy = 'hybrid'
                then rag_internal.legs_of(request) || '{recall, fusion}'::text[]
                when num_nonnulls((request).rerank, (request).mmr_lambda) > 0 then '{recall}'
                else '{}' end
        || case when (request).rerank is not null then '{rerank}'::text[] else '{}' end
        || '{result}'::text[]
$$;

ALTER FUNCTION rag_internal.evaluation_stages(request rag_internal.search_request) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.evaluation_stages(request rag_internal.search_request) IS 'Of a completed request, in their order.';

CREATE FUNCTION rag_internal.expand_passage(document_id uuid, chunk_index integer, expand text, OUT content text, OUT start_offset integer, OUT end_offset integer) RETURNS record
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
    _most constant integer := 12000;
    _from integer;
    _to integer;
    _passage record;
begin
    select c.start_offset, c.end_offset, c.section_start, c.section_end
    into _passage
    from rag_internal.chunk c
    where c.document_id = expand_passage.document_id
      and c.chunk_index = expand_passage.chunk_index;
    if not found then
        return;
    end if;
    start_offset := _passage.start_offset;
    end_offset := _passage.end_offset;
    if expand = 'section' and _passage.section_end > _passage.section_start then
        _from := least(_passage.section_start, start_offset);
        _to := greatest(_passage.section_end, end_offset);
    end if;

    if expand = 'section' and _to - _from <= _most then
        start_offset := _from;
        end_offset := _to;
    elsif expand in ('section', 'neighbours') then
        -- of a section that is too long, the passages nearest to this one
        for _passage in
            select c.start_offset, c.end_offset
            from rag_internal.chunk c
            where c.document_id = expand_passage.document_id
              and c.chunk_index between expand_passage.chunk_index - 100
                                    and expand_passage.chunk_index + 100
              and c.chunk_index <> expand_passage.chunk_index
              and (_to is null and abs(c.chunk_index - expand_passage.chunk_index) = 1
                   or c.start_offset >= _from and c.end_offset <= _to)
            order by abs(c.chunk_index - expand_passage.chunk_index), c.chunk_index
        loop
            continue when greatest(end_offset, _passage.end_offset)
                          - least(start_offset, _passage.start_offset) > _most;
            start_offset := least(start_offset, _passage.start_offset);
            end_offset := greatest(end_offset, _passage.end_offset);
        end loop;
    end if;
    content := (select substr(d.content, start_offset + 1, end_offset - start_offset)
                from rag_internal.document d
                where d.document_id = expand_passage.document_id);
end
$$;

ALTER FUNCTION rag_internal.expand_passage(document_id uuid, chunk_index integer, expand text, OUT content text, OUT start_offset integer, OUT end_offset integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.expand_passage(document_id uuid, chunk_index integer, expand text, OUT content text, OUT start_offset integer, OUT end_offset integer) IS 'expand: section (that of the passage; its neighbours where it has none), neighbours, or chunk, which is the passage alone. At most 12,000 characters: beyond, as many of the nearest passages as fit. Null where there is no such passage.';

CREATE FUNCTION rag_internal.explain_hits(result rag_internal.retrieval) RETURNS SETOF rag.search_step
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _request rag_internal.search_request := (result).request;
    _scope rag_internal.scope := rag_internal.search_scope((result).identity, _request);
    _query text := coalesce((select max(h.corrected_query) from unnest((result).hits) h
                             where _request.correct_typos), _request.query);
begin
    return query
        select 'hit', l.leg, null::text, null::bigint, null::double precision, h.rank, l.score,
               case when l.leg <> 'rerank' then coalesce(p.score / nullif(p.total, 0), 1) end,
               h.document_id, h.chunk_index,
               case when l.leg = 'bm25'
                    then (select jsonb_build_object('leg_rank', l.rank, 'terms',
                                                    jsonb_agg(to_jsonb(t)))
                          from rag_internal.bm25_terms(_query, _scope, h.document_id,
                                                       h.chunk_index) t)
                    else jsonb_strip_nulls(jsonb_build_object(
                             'leg_rank', l.rank,
                             'corrected_query',
                             case when l.leg = 'fuzzy' then h.corrected_query end)) end
        from unnest((result).hits) h
        join lateral (
            select u.* from unnest((result).leg_hits) u
            where u.document_id = h.document_id and u.chunk_index = h.chunk_index) l on true
        left join (
            select c.leg, c.document_id, c.chunk_index, c.score,
                   sum(c.score) over (partition by c.document_id, c.chunk_index) as total
            from rag_internal.contributions(
                     (result).leg_hits, _request, (result).depth) c) p
            on _request.strategy = 'hybrid' and p.leg = l.leg and p.document_id = h.document_id
               and p.chunk_index = h.chunk_index
        order by h.rank, l.leg <> 'semantic', l.leg;
end
$$;

ALTER FUNCTION rag_internal.explain_hits(result rag_internal.retrieval) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.explain_hits(result rag_internal.retrieval) IS 'Rows of rag.search_step with step hit: the rank of the hit, and of each leg its own rank (detail), raw score and share of the fused score. Of BM25 the terms, as rag.explain_bm25 tells them; of the fuzzy leg what it looked for.';

CREATE FUNCTION rag_internal.explain_scope(scope rag_internal.scope) RETURNS SETOF rag.search_step
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
    _started timestamptz := clock_timestamp();
    _sight record := rag_internal.sight(scope);
    _acls bigint[] := rag_internal.seen_acls(scope);
    _passing bigint;
    _step rag.search_step;
begin
    _step := rag_internal.search_step(
        'sight',
        case when ((scope).identity).sees_everything then 'everything' else 'by class' end,
        format('%s classes in %s collections', cardinality(_acls),
               cardinality(_sight.collection_ids)),
        _sight.passages, _started);
    return next _step;
    if (select count(distinct k.search_defaults) from rag_internal.collection k
        where k.collection_id = any (_sight.collection_ids)) > 1 then
        return next rag_internal.search_step(
            'defaults', 'built in', 'the search_defaults of the collections differ', null,
            clock_timestamp());
    end if;
    if coalesce((scope).filter::text, (scope).filter_path::text, (scope).min_updated_at::text,
                (scope).max_updated_at::text) is null then
        return;
    end if;
    _started := clock_timestamp();
    select count(*) into _passing
    from rag_internal.document d
    join rag_internal.chunk c using (document_id)
    -- in this order: a path can fail, or take long, on a row that is hidden
    where case when d.acl_id = any (_acls) and d.collection_id = any (_sight.collection_ids)
               then coalesce(d.attributes @> (scope).filter, true)
                    and coalesce(d.updated_at >= (scope).min_updated_at, true)
                    and coalesce(d.updated_at <= (scope).max_updated_at, true)
                    and ((scope).filter_path is null
                         or coalesce(jsonb_path_match(d.attributes, (scope).filter_path,
                                                      (scope).vars, true), false)) end
      and ((scope).include_archived or (scope).as_of is not null
           or exists (select from rag_internal.live_chunk l where l.chunk_id = c.chunk_id));
    return next rag_internal.search_step('filter', 'counted', null, _passing, _started);
end
$$;

ALTER FUNCTION rag_internal.explain_scope(scope rag_internal.scope) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.explain_scope(scope rag_internal.scope) IS 'Rows of rag.search_step: sight, the passages that the caller sees in the scope, and where there are filters, filter, those of them that pass; defaults, where those of the collections differ, so that none counts.';

CREATE FUNCTION rag_internal.find_model(name text, identity rag_internal.identity DEFAULT NULL::rag_internal.identity) RETURNS rag_internal.model
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _model rag_internal.model;
begin
    select m.* into _model
    from rag_internal.model m
    where m.kind = 'embedding'
      and (m.name = find_model.name or (find_model.name is null and m.is_default))
      and ((identity).who is null or m.is_default
           or pg_has_role((identity).who, 'rag_writer', 'usage')
           or m.model_id in (select k.model_id
                             from rag_internal.visible_collections(identity, null) k));
    if not found then
        raise exception using
            errcode = case when find_model.name is null then '55000' else 'P0002' end,
            message = case when find_model.name is null then 'no embedding model is registered'
                           else format('no embedding model is named "%s"', find_model.name) end,
            hint    = 'Registered models are in rag.model; `ragsql up` or rag.add_model(...) '
                      'registers one.';
    end if;
    return _model;
end
$$;

ALTER FUNCTION rag_internal.find_model(name text, identity rag_internal.identity) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.find_model(name text, identity rag_internal.identity) IS 'The embedding model of that name, the default for null; P0002 or 55000 where there is none.';

CREATE FUNCTION rag_internal.find_passage(content text, hash text, length integer, place integer, secret bytea) RETURNS integer
    LANGUAGE plpython3u IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).find_passage(content, hash, length, place, secret)
$$;

ALTER FUNCTION rag_internal.find_passage(content text, hash text, length integer, place integer, secret bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.find_passage(content text, hash text, length integer, place integer, secret bytea) IS 'Where in the content the passage with that hash of a citation begins, at its place or elsewhere; null where it is gone. secret: of keyed hashes; null for plain ones.';

CREATE FUNCTION rag_internal.find_passages(search rag_internal.retrieval) RETURNS rag_internal.retrieval
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _result rag_internal.retrieval := search;
    _request rag_internal.search_request := _result.request;
    _places bigint := _request.top_k::bigint + _request.skip;
    _reach record := rag_internal.search_reach(_request);
    _depth bigint := rag_internal.first_depth(_request, _reach.reach);
    _legs record;
    _fused rag_internal.leg_hit[];
    _ranking rag_internal.leg_hit[];
    _reranked record;
    _started timestamptz := clock_timestamp();
begin
    if _request.correct_typos and not rag_internal.is_blank(_request.query) then
        _result.query := rag_internal.corrected_query(_request.query, _result.scope,
                                                      _request.max_distance);
        _result.steps := _result.steps || rag_internal.search_step(
            'correction',
            case when _result.query = _request.query then 'as typed' else 'corrected' end,
            null, null, _started);
    end if;

    -- what is left out of a ranking makes room for what the legs find further down
    loop
        _legs := rag_internal.run_legs(_request, _result.query, _result.scope, _depth);
        _started := clock_timestamp();
        _fused := rag_internal.fuse(_legs.hits, _request, _depth);
        _ranking := rag_internal.choose_candidates(_fused, _request);
        exit when cardinality(_ranking) >= _reach.reach or not _legs.is_cut;
        _depth := rag_internal.leg_depth(_depth + 1);
    end loop;
    _result.degraded := _legs.notes;
    _result.leg_hits := _legs.hits;
    _result.depth := _depth;
    _result.steps := _result.steps || _legs.steps || rag_internal.search_step(
        'fusion', case when _request.strategy = 'hybrid' then _request.fusion else 'as ranked' end,
        case when cardinality(_ranking) < cardinality(_fused)
             then format('%s left out as equal or of one document',
                         cardinality(_fused) - cardinality(_ranking)) end,
        cardinality(_ranking), _started);

    if _request.rerank is not null then
        _reranked := rag_internal.rerank_hits(_ranking, _result.query, _result.leg_hits, _request,
                                               _reach.block);
        _ranking := _reranked.ranked;
        _result.leg_hits := _result.leg_hits || _reranked.scores;
        _result.steps := _result.steps || _reranked.step;
        _result.degraded := _result.degraded || _reranked.notes;
        if not _reranked.is_open then
            _result.status := 'abstained';
        end if;
    end if;
    if _request.mmr_lambda is not null and cardinality(_ranking) > 0 then
        _started := clock_timestamp();
        _ranking := rag_internal.diversify(_ranking, _request.mmr_lambda, _reach.block,
                                            _reach.reach);
        _result.steps := _result.steps || rag_internal.search_step(
            'variety', format('lambda %s', _request.mmr_lambda), null, cardinality(_ranking),
            _started);
    end if;
    _result.ranking := _ranking[least(_request.skip::bigint + 1, 2147483647)
                                : least(_places, 2147483647)];
    return _result;
end
$$;

ALTER FUNCTION rag_internal.find_passages(search rag_internal.retrieval) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.find_passages(search rag_internal.retrieval) IS 'The search with the page of its ranking, the hits of its legs, its steps, and what had to be done without; status abstained where the gate is closed.';

CREATE FUNCTION rag_internal.find_reranker(name text) RETURNS rag_internal.reranker
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _reranker rag_internal.reranker;
begin
    select r.* into _reranker
    from rag_internal.reranker r
    where r.name = find_reranker.name
       or (coalesce(find_reranker.name, 'default') = 'default' and r.is_default);
    if not found then
        raise exception using
            errcode = '55000',
            message = case when coalesce(find_reranker.name, 'default') = 'default'
                           then 'no default reranker is registered'
                           else format('no reranker is named "%s"', find_reranker.name) end,
            hint    = 'Registered ones are in rag.reranker; rag.add_reranker(...) registers one. '
                      'rerank => ''none'' searches without.';
    end if;
    return _reranker;
end
$$;

ALTER FUNCTION rag_internal.find_reranker(name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.find_reranker(name text) IS 'The reranker of that name, the default one for null and default; 55000 where there is none.';

CREATE FUNCTION rag_internal.finish_jobs(job_ids bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _job_id bigint;
    _status text;
begin
    perform from rag_internal.job j
    where j.job_id = any (job_ids) and j.status in ('queued', 'running')
    order by j.job_id
    for no key update;
    for _job_id, _status in
        -- a job can have a million tasks: they are not counted for each claim
        update rag_internal.job j
        set status = case when exists (select from rag_internal.embedding_task t
                                       where t.job_id = j.job_id)
                          then 'failed' else 'done' end,
            error = (select max(t.error) from rag_internal.embedding_task t
                     where t.job_id = j.job_id),
            finished_at = clock_timestamp()
        where j.job_id = any (job_ids) and j.status in ('queued', 'running')
          and not exists (select from rag_internal.embedding_task t
                          where t.job_id = j.job_id and not t.is_dead)
        returning j.job_id, j.status
    loop
        perform pg_notify('ragsql_job_' || _job_id, _status);
    end loop;
    -- what somebody holds is not waited for: a claim comes by here when it ends
    update rag_internal.embedding_task t
    set is_dead = true, claim_id = null, error = coalesce(t.error, 'its job was cancelled'),
        failed_at = clock_timestamp()
    from (select g.model_id, g.chunk_id
          from rag_internal.embedding_task g
          join rag_internal.job j using (job_id)
          where j.job_id = any (job_ids) and j.status = 'cancelled' and not g.is_dead
          for update of g skip locked) g
    where t.model_id = g.model_id and t.chunk_id = g.chunk_id;
end
$$;

ALTER FUNCTION rag_internal.finish_jobs(job_ids bigint[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.finish_jobs(job_ids bigint[]) IS 'done or failed for each of these jobs without open tasks, with a notification on the channel ragsql_job_ and its id; what is left of cancelled ones is given up.';

CREATE FUNCTION rag_internal.first_depth(request rag_internal.search_request, places bigint) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return (
        select case when (request).strategy in ('bm25', 'fuzzy') and (request).rerank is null
                         and (request).mmr_lambda is null
                    then first_depth.places
                    else rag_internal.leg_depth(
                        greatest(first_depth.places, (request).candidates)) end);
end
$$;

ALTER FUNCTION rag_internal.first_depth(request rag_internal.search_request, places bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.first_depth(request rag_internal.search_request, places bigint) IS 'Of a lexical leg alone: just what is asked for. Else a tier of rag_internal.leg_depth that holds the places and candidates.';

CREATE FUNCTION rag_internal.follow_chunk() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _document rag_internal.document;
    _collection rag_internal.collection;
begin
    select d.* into _document from rag_internal.document d where d.document_id = new.document_id;
    _collection := rag_internal.shared_collection(_document.collection_id);
    if coalesce(new.embed_text, new.content) <> coalesce(old.embed_text, old.content) then
        delete from rag_internal.embedding e where e.chunk_id = new.chunk_id;
    end if;
    update rag_internal.chunk c
    set tsv = rag_internal.index_text(_document.title, c.heading, c.content,
                                      _document.text_config, _collection.title_weight,
                                      _collection.heading_weight),
        words_skipped = rag_internal.words_skipped(c.content)
    where c.chunk_id = new.chunk_id;
    perform rag_internal.index_document(new.document_id);
    perform rag_internal.queue_embeddings(_collection, new.document_id, null,
                                              rag_internal.plain_identity(current_user));
    return null;
end
$$;

ALTER FUNCTION rag_internal.follow_chunk() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.follow_chunk() IS 'Keeps lexemes and vectors of a passage in step with its text.';

CREATE FUNCTION rag_internal.follow_document() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _collection rag_internal.collection;
begin
    if new.collection_id <> old.collection_id then
        _collection := rag_internal.shared_collection(new.collection_id);
    end if;
    perform rag_internal.index_document(new.document_id);
    if (new.acl_id, new.collection_id) <> (old.acl_id, old.collection_id) then
        update rag_internal.embedding e set acl_id = new.acl_id, collection_id = new.collection_id
        from rag_internal.chunk c
        where c.document_id = new.document_id and e.chunk_id = c.chunk_id;
        update rag_internal.embedding_task t
        set acl_id = new.acl_id, collection_id = new.collection_id
        from rag_internal.chunk c
        where c.document_id = new.document_id and t.chunk_id = c.chunk_id;
    end if;
    if new.collection_id <> old.collection_id then
        -- another collection may keep vectors under other models
        delete from rag_internal.embedding e
        using rag_internal.chunk c
        where c.document_id = new.document_id and e.chunk_id = c.chunk_id
          and not exists (select from rag_internal.wanted_embedding w
                          where w.model_id = e.model_id and w.chunk_id = e.chunk_id);
        delete from rag_internal.embedding_task t
        using rag_internal.chunk c
        where c.document_id = new.document_id and t.chunk_id = c.chunk_id
          and not exists (select from rag_internal.wanted_embedding w
                          where w.model_id = t.model_id and w.chunk_id = t.chunk_id);
        perform rag_internal.queue_embeddings(_collection, new.document_id, null,
                                              rag_internal.plain_identity(current_user));
    end if;
    return null;
end
$$;

ALTER FUNCTION rag_internal.follow_document() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.follow_document() IS 'Makes a new entry for a document that changed otherwise than by its text, and takes its vectors along, or asks for those that its new collection wants.';

CREATE FUNCTION rag_internal.follow_title() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _collection rag_internal.collection;
begin
    select k.* into _collection from rag_internal.collection k
    where k.collection_id = new.collection_id;
    perform rag_internal.reindex_document(new, _collection);
    return null;
end
$$;

ALTER FUNCTION rag_internal.follow_title() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.follow_title() IS 'Renews the lexemes of a document whose title changed.';

CREATE FUNCTION rag_internal.follow_up_terms(query text, texts text[], most integer) RETURNS text[]
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).follow_up_terms(query, texts, most)
$$;

ALTER FUNCTION rag_internal.follow_up_terms(query text, texts text[], most integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.follow_up_terms(query text, texts text[], most integer) IS 'Identifiers, types and files that the texts name and the query does not, the best first.';

CREATE FUNCTION rag_internal.forget_answers(most bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    -- above that, what another session has removed meanwhile would be an error
    if current_setting('transaction_isolation') = 'read committed' then
        delete from rag_internal.cached_answer a
        where a.answer_id in (select e.answer_id from rag_internal.cached_answer e
                              where e.expires_at <= clock_timestamp()
                              limit most
                              for update skip locked);
    end if;
end
$$;

ALTER FUNCTION rag_internal.forget_answers(most bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.forget_answers(most bigint) IS 'At most so many (null: all); none in a transaction above read committed.';

CREATE FUNCTION rag_internal.forget_searches(older_than interval DEFAULT NULL::interval) RETURNS bigint
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with gone as (
        delete from rag_internal.search_log l
        using rag_internal.search_log_setting s
        where l.searched_at < now() - coalesce(older_than, make_interval(days => s.days))
        returning 1)
    select count(*) from gone
$$;

ALTER FUNCTION rag_internal.forget_searches(older_than interval) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.forget_searches(older_than interval) IS 'How many records went; null: those older than rag.configure_search_log says.';

CREATE FUNCTION rag_internal.front_matter(content text, strategy text, source text, mime text) RETURNS jsonb
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
import json
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return json.dumps(GD["ragsql"].require(6).front_matter(content, strategy, source, mime))
$$;

ALTER FUNCTION rag_internal.front_matter(content text, strategy text, source text, mime text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.front_matter(content text, strategy text, source text, mime text) IS 'The YAML front matter of a document that is chunked as Markdown; {} for others, and where there is none or it is no mapping.';

CREATE FUNCTION rag_internal.fuse(hits rag_internal.leg_hit[], request rag_internal.search_request, depth bigint) RETURNS rag_internal.leg_hit[]
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _depth bigint := rag_internal.first_depth(request, 1);
    _placed rag_internal.leg_hit[] := '{}';
begin
    if (request).strategy <> 'hybrid' then
        return hits;
    end if;
    loop
        _placed := _placed || array(
            select row('hybrid',
                       cardinality(_placed)
                       + row_number() over (order by s.score desc, s.document_id, s.chunk_index),
                       s.score, s.document_id, s.chunk_index, null)::rag_internal.leg_hit
            from (select c.document_id, c.chunk_index, sum(c.score order by c.leg) as score
                  from rag_internal.contributions(hits, request, _depth) c
                  where not exists (select from unnest(_placed) p
                                    where p.document_id = c.document_id
                                      and p.chunk_index = c.chunk_index)
                  group by c.document_id, c.chunk_index) s
            order by s.score desc, s.document_id, s.chunk_index
            limit _depth - cardinality(_placed));
        exit when _depth >= depth;
        _depth := rag_internal.leg_depth(_depth + 1);
    end loop;
    return _placed;
end
$$;

ALTER FUNCTION rag_internal.fuse(hits rag_internal.leg_hit[], request rag_internal.search_request, depth bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.fuse(hits rag_internal.leg_hit[], request rag_internal.search_request, depth bigint) IS 'Passages in fused order, in tiers up to depth. score: the sum of what the legs contribute that have the passage within the depth of its tier. A single leg is its own order.';

CREATE FUNCTION rag_internal.fuzzy_leg(query text, scope rag_internal.scope, depth bigint, max_distance integer) RETURNS SETOF rag_internal.leg_hit
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'iso'
    SET jit TO 'off'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).fuzzy_leg(query, scope, depth, max_distance)
$$;

ALTER FUNCTION rag_internal.fuzzy_leg(query text, scope rag_internal.scope, depth bigint, max_distance integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.fuzzy_leg(query text, scope rag_internal.scope, depth bigint, max_distance integer) IS 'At most depth passages by likeness of words: the mean, over the query words that visible passages have a like of within max_distance edits, of the best similarity in the passage (0 where it has none). corrected_query says what was searched for, where that is not what was typed.';

CREATE FUNCTION rag_internal.given_chunks(chunks jsonb, content text, model rag_internal.model) RETURNS rag_internal.prepared_chunk[]
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _known constant text[] := array['content', 'embedding', 'embed_text', 'heading', 'kind'];
    _chunk jsonb;
    _number integer;
    _problem text;
    _bytes bytea := convert_to(content, 'UTF8');
    _from_byte integer := 0;
    _from integer := 0;
    _sought bytea;
    _reach bigint;
    _at integer;
    _before text;
    _start integer;
    _end integer;
    _line integer := 1;
    _end_line integer;
    _prepared rag_internal.prepared_chunk[] := '{}';
begin
    for _chunk, _number in
        select e, n from jsonb_array_elements(chunks) with ordinality t (e, n)
    loop
        _problem := case
            when jsonb_typeof(_chunk) <> 'object' then 'is not a JSON object'
            when coalesce(jsonb_typeof(_chunk -> 'content'), '') <> 'string'
                 or _chunk ->> 'content' !~ '[[:graph:]]' then 'has no content'
            when exists (select from jsonb_object_keys(_chunk) k where k <> all (_known))
                then 'has unknown keys: ' || left((select string_agg(k, ', ' order by k)
                                                   from jsonb_object_keys(_chunk) k
                                                   where k <> all (_known)), 200)
            when _chunk ? 'embedding' and model.model_id is null
                then 'has a vector, but the collection has no model'
            when exists (select from unnest(array['embed_text', 'kind']) s (name)
                         where jsonb_typeof(_chunk -> s.name) not in ('string', 'null'))
                 or jsonb_typeof(_chunk -> 'heading') not in ('array', 'null')
                 or jsonb_path_exists(_chunk, '$.heading[*] ? (@.type() != "string")')
                 or jsonb_typeof(_chunk -> 'embedding') not in ('array', 'null')
                 or jsonb_path_exists(
                     _chunk, 'strict $.embedding[*] ? (@.type() != "number")', '{}', true)
                then 'has a value of the wrong type'
            end;
        if _problem is null then
            _sought := convert_to(_chunk ->> 'content', 'UTF8');
            _reach := octet_length(_sought) + 1024;
            loop
                _at := position(_sought in substring(_bytes from _from_byte + 1
                                                     for _reach::integer));
                exit when _at > 0 or _from_byte + _reach >= octet_length(_bytes);
                _reach := least(4 * _reach, octet_length(_bytes));
            end loop;
            _problem := case when _at = 0
                             then 'is not found in content after the one before it' end;
        end if;
        if _problem is not null then
            raise exception using
                errcode = '22023',
                message = format('chunk %s %s', _number, _problem),
                hint    = format('Keys: %s. Chunks follow each other in content, may overlap, and '
                                 'are found there character for character.',
                                 array_to_string(_known, ', '));
        end if;
        _before := convert_from(substring(_bytes from _from_byte + 1 for _at - 1), 'UTF8');
        _start := _from + length(_before);
        _end := _start + length(_chunk ->> 'content');
        _line := _line + rag_internal.line_breaks(_before);
        _end_line := _line + rag_internal.line_breaks(
            rtrim(_chunk ->> 'content', E'\n'));
        _prepared := _prepared || row(
            row(_number - 1, _chunk ->> 'content', _start, _end, _line, _end_line,
                coalesce(rag_internal.text_array(nullif(_chunk -> 'heading', 'null')), '{}'),
                null, null, coalesce(_chunk ->> 'kind', 'prose'), null, null,
                _chunk ->> 'embed_text')::rag.text_chunk,
            null,
            rag_internal.check_vector(
                nullif(_chunk -> 'embedding', 'null')::text::"public".vector, model,
                format('the vector of chunk %s', _number)),
            null)::rag_internal.prepared_chunk;
        -- the next may begin within this one, but not where it begins
        _line := _line + rag_internal.line_breaks(left(_chunk ->> 'content', 1));
        _from := _start + 1;
        _from_byte := _from_byte + _at - 1
                   + octet_length(convert_to(left(_chunk ->> 'content', 1), 'UTF8'));
    end loop;
    return _prepared;
end
$_$;

ALTER FUNCTION rag_internal.given_chunks(chunks jsonb, content text, model rag_internal.model) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.given_chunks(chunks jsonb, content text, model rag_internal.model) IS 'Passages with their places in content, and vectors scaled to length 1; 22023 for what is not as rag.ingest_chunks says.';

CREATE FUNCTION rag_internal.grantees(readers text[], tenant text, granted boolean) RETURNS bigint[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if granted then
        return array(
            select distinct rag_internal.principal_for(r, grantees.tenant) from unnest(readers) r);
    end if;
    return array(
        select distinct p
        from unnest(readers) r
        cross join lateral unnest(rag_internal.principals_named(r, grantees.tenant)) p);
end
$$;

ALTER FUNCTION rag_internal.grantees(readers text[], tenant text, granted boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.grantees(readers text[], tenant text, granted boolean) IS 'principal_id of readers: granted, as rag_internal.principal_for; else all that had the names.';

CREATE FUNCTION rag_internal.has_rule(who name, role text) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select coalesce(who = role, false)
        or exists (select from pg_roles w, pg_roles r
                   where w.rolname = who and not w.rolsuper and r.rolname = role
                     and pg_has_role(w.oid, r.oid, 'usage'))
$$;

ALTER FUNCTION rag_internal.has_rule(who name, role text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.has_rule(who name, role text) IS 'Whether who is the role or has usage of it, superusers apart; false for null.';

CREATE FUNCTION rag_internal.highlight(content text, query text, text_config text) RETURNS rag_internal.highlighted
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).highlight(content, query, text_config)
$$;

ALTER FUNCTION rag_internal.highlight(content text, query text, text_config text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.highlight(content text, query text, text_config text) IS 'Words of the query, its phrases and words with its prefixes; nothing for exclusions. The first 50,000 characters are looked through.';

CREATE FUNCTION rag_internal.hybrid_weights(weights jsonb, fusion text, rrf_k integer) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return (
        select rag_internal.check_weights(
            -- an imagined answer counts like the question, unless it is said otherwise
            case when jsonb_typeof(weights) = 'object' and weights ? 'semantic'
                 then jsonb_build_object('hyde', weights -> 'semantic') || weights
                 else weights end,
            rag_internal.default_weights(fusion), rrf_k));
end
$$;

ALTER FUNCTION rag_internal.hybrid_weights(weights jsonb, fusion text, rrf_k integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.hybrid_weights(weights jsonb, fusion text, rrf_k integer) IS 'weights over the defaults of the fusion; 22023 where they mean nothing, see rag_internal.check_weights.';

CREATE FUNCTION rag_internal.identity_names(identity rag_internal.identity) RETURNS TABLE(kind text, name text)
    LANGUAGE sql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select 'public', 'public' where (identity).source <> 'nobody'
    union all
    select 'user', substr((identity).reader, 6) where (identity).reader like 'user:%'
    union all
    select 'group', g from unnest((identity).groups) g
    union all
    select 'role', r.rolname
    from pg_roles r
    where case when (identity).source = 'database role'
               then r.rolname = (identity).who
                    or (not (identity).sees_everything
                        and pg_has_role((identity).who, r.oid, 'usage'))
               else exists (select from rag_internal.principal p
                            where p.principal_id = any ((identity).principal_ids)
                              and p.kind = 'role' and p.role_oid = r.oid) end
$$;

ALTER FUNCTION rag_internal.identity_names(identity rag_internal.identity) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.identity_names(identity rag_internal.identity) IS 'kind and name of the readers that an identity is.';

CREATE FUNCTION rag_internal.index_differences(collection rag_internal.collection) RETURNS SETOF rag.index_difference
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).index_differences(collection)
$$;

ALTER FUNCTION rag_internal.index_differences(collection rag_internal.collection) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.index_differences(collection rag_internal.collection) IS 'See rag.verify_index.';

CREATE FUNCTION rag_internal.index_document(document_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _entry_id bigint;
begin
    if not exists (select from rag_internal.document d
                   where d.document_id = index_document.document_id) then
        delete from rag_internal.indexed_document i
        where i.document_id = index_document.document_id;
        return;
    end if;
    insert into rag_internal.indexed_document as i (document_id)
    values (index_document.document_id)
    on conflict on constraint indexed_document_pkey do update set entry_id = excluded.entry_id
    returning i.entry_id into _entry_id;

    insert into rag_internal.pending
        (entry_id, first_index, document_id, collection_id, acl_id, text_config, valid_from,
         valid_until, passages, lengths, lexemes, frequencies, surfaces)
    select _entry_id, min(p.chunk_index), d.document_id, d.collection_id, d.acl_id, d.text_config,
           v.starts, v.ends, count(*), string_agg(int4send(p.length), ''),
           string_agg(p.lexemes, ''), string_agg(p.frequencies, ''), string_agg(p.surfaces, '')
    from rag_internal.document d
    cross join lateral rag_internal.indexed_validity(d.status, d.valid_from, d.valid_until) v
    cross join lateral (
        select c.chunk_index, l.length, l.frequencies,
               rag_internal.pack_terms(tsvector_to_array(c.tsv)) as lexemes,
               rag_internal.pack_terms(tsvector_to_array(rag_internal.surface_forms(
                   rag_internal.surface_text(d.title, c.heading, c.content)))) as surfaces
        from rag_internal.chunk c
        cross join lateral (
            select coalesce(sum(cardinality(t.positions)), 0)::integer as length,
                   coalesce(string_agg(set_byte('\x00', 0, least(cardinality(t.positions), 255)),
                                       ''), '') as frequencies
            from unnest(c.tsv) t) l
        where c.document_id = d.document_id
        order by c.chunk_index) p
    where d.document_id = index_document.document_id
    group by d.document_id, v.starts, v.ends, p.chunk_index / 4096;
end
$$;

ALTER FUNCTION rag_internal.index_document(document_id uuid) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.index_document(document_id uuid) IS 'A new entry of a document, in rag_internal.pending; none where there is no such document.';

CREATE FUNCTION rag_internal.index_text(title text, heading text[], content text, config text, title_weight integer DEFAULT 1, heading_weight integer DEFAULT 1) RETURNS tsvector
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _most constant integer := 2000;
    _gap constant tsvector := E'\x01:16';
    _title tsvector := '';
    _heading tsvector := '';
    _all tsvector := '';
    _content tsvector;
begin
    if title_weight > 0 and title <> '' then
        _title := setweight(
            rag_internal.analyze_folded(config, left(rag_internal.fold_text(title), _most)), 'A')
            || _gap;
        for _ in 1 .. least(title_weight, 16) loop
            _all := _all || _title;
        end loop;
    end if;
    if heading_weight > 0 and cardinality(heading) > 0 then
        _heading := setweight(
            rag_internal.analyze_folded(
                config, left(rag_internal.fold_text(array_to_string(heading, ' . ')), _most)), 'B')
            || _gap;
        for _ in 1 .. least(heading_weight, 16) loop
            _all := _all || _heading;
        end loop;
    end if;
    _content := rag_internal.analyze_folded(config, rag_internal.fold_text(content));
    if _all = '' then
        return _content;
    end if;
    return ts_delete(_all || _content, E'\x01');
end
$$;

ALTER FUNCTION rag_internal.index_text(title text, heading text[], content text, config text, title_weight integer, heading_weight integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.index_text(title text, heading text[], content text, config text, title_weight integer, heading_weight integer) IS 'Lexemes of a passage: title (weight A) and headings (weight B), as often as they weigh, up to 16 (0 leaves it out; 2,000 characters count), then content (weight D).';

CREATE FUNCTION rag_internal.indexed_validity(status text, valid_from timestamp with time zone, valid_until timestamp with time zone, OUT starts timestamp with time zone, OUT ends timestamp with time zone) RETURNS record
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case status when 'archived' then coalesce(valid_until, 'infinity') else valid_from end,
           case status when 'archived' then coalesce(valid_from, '-infinity') else valid_until end
$$;

ALTER FUNCTION rag_internal.indexed_validity(status text, valid_from timestamp with time zone, valid_until timestamp with time zone, OUT starts timestamp with time zone, OUT ends timestamp with time zone) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.indexed_validity(status text, valid_from timestamp with time zone, valid_until timestamp with time zone, OUT starts timestamp with time zone, OUT ends timestamp with time zone) IS 'valid_from and valid_until, of an archived document the other way round.';

CREATE FUNCTION rag_internal.indexing_settings(collection rag_internal.collection, document rag_internal.document) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select jsonb_build_object(
        'strategy', (collection).strategy,
        'chunk_size', (collection).chunk_size,
        'overlap', (collection).overlap,
        'min_chunk_size', (collection).min_chunk_size,
        'model', (select m.name || '@' || m.revision from rag_internal.model m
                  where m.model_id = (collection).model_id),
        'text_config', (document).text_config)
        || jsonb_strip_nulls(jsonb_build_object('min_value', (collection).min_value))
        -- what else decides how structure is read; the source is the same as long as the document
        || case when (collection).strategy in ('word', 'character', 'token', 'semantic') then '{}'
                else jsonb_build_object('language', (document).language, 'mime', (document).mime)
           end
$$;

ALTER FUNCTION rag_internal.indexing_settings(collection rag_internal.collection, document rag_internal.document) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.indexing_settings(collection rag_internal.collection, document rag_internal.document) IS 'rag_internal.document.indexed_as of what is ingested now.';

CREATE FUNCTION rag_internal.ingested(document rag_internal.document, status text, chunks integer, job_id bigint, identity rag_internal.identity) RETURNS rag.ingested
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _words_skipped integer := 0;
begin
    if chunks > 0 then
        select sum(c.words_skipped) into _words_skipped
        from rag_internal.chunk c
        where c.document_id = (document).document_id;
        if _words_skipped > 0 then
            raise warning 'words that the lexical index leaves out of "%": %', (document).source,
                _words_skipped
                using hint = 'Words of more than 2,046 bytes, and what lies beyond the part of a '
                             'passage that is analysed; docs/analysis.md tells the limits.';
        end if;
    end if;
    if job_id is null then
        -- an earlier call may have left some to be embedded later
        select t.job_id into job_id
        from rag_internal.embedding_task t
        join rag_internal.job j on j.job_id = t.job_id and rag_internal.owns_job(j, identity)
        where t.chunk_id in (select c.chunk_id from rag_internal.chunk c
                             where c.document_id = (document).document_id)
          and not t.is_dead
        limit 1;
    end if;
    if status <> 'unchanged' then
        perform rag_internal.keep_up_index(document);
    end if;
    return row((document).document_id, status, chunks, job_id, _words_skipped)::rag.ingested;
end
$$;

ALTER FUNCTION rag_internal.ingested(document rag_internal.document, status text, chunks integer, job_id bigint, identity rag_internal.identity) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.ingested(document rag_internal.document, status text, chunks integer, job_id bigint, identity rag_internal.identity) IS 'The row of rag.ingested of a document whose passages were written: chunks of them, and the job that embeds those without a vector.';

CREATE FUNCTION rag_internal.intern_readers(principal_ids bigint[], tenant text, security_level smallint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _reader_set bytea := rag_internal.reader_set(principal_ids);
    _acl_id bigint;
begin
    loop
        select a.acl_id into _acl_id
        from rag_internal.acl a
        where a.tenant = intern_readers.tenant
          and a.security_level = intern_readers.security_level
          and a.reader_set = _reader_set;
        exit when found;
        insert into rag_internal.acl (reader_set, tenant, security_level)
        values (_reader_set, intern_readers.tenant, intern_readers.security_level)
        on conflict do nothing
        returning acl_id into _acl_id;
        if found then
            insert into rag_internal.acl_reader (principal_id, acl_id)
            select distinct p, _acl_id from unnest(principal_ids) p;
            exit;
        end if;
    end loop;
    return _acl_id;
end
$$;

ALTER FUNCTION rag_internal.intern_readers(principal_ids bigint[], tenant text, security_level smallint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.intern_readers(principal_ids bigint[], tenant text, security_level smallint) IS 'acl_id of the class whose readers are these principals; equal sets of a tenant and level share one class.';

CREATE FUNCTION rag_internal.is_blank(content text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
    select coalesce(content ~ '^[\s\u0001-\u001f\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f'
                              '\u2060-\u2064\u3000\ufeff]*$', true)
$_$;

ALTER FUNCTION rag_internal.is_blank(content text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.is_blank(content text) IS 'True for null and for a text without one visible character.';

CREATE FUNCTION rag_internal.is_kept_by_snapshot() RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    -- of another scrub that ended in between
    delete from rag_internal.scrub_probe;
    perform rag_internal.rewrite_table('scrub_probe');
    return pg_relation_size('rag_internal.scrub_probe') > 0;
end
$$;

ALTER FUNCTION rag_internal.is_kept_by_snapshot() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.is_kept_by_snapshot() IS 'True while an older snapshot than the last delete from rag_internal.scrub_probe is in use.';

CREATE FUNCTION rag_internal.is_own_name(identity rag_internal.identity, collection rag_internal.collection) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select (identity).sees_everything
        or ((collection).tenant = (identity).tenant
       and exists (select from rag_internal.principal o
                   where o.principal_id = (collection).owner_id
                     and (rag_internal.reader_name(o) = (identity).reader
                          or o.principal_id = any ((identity).principal_ids))))
$$;

ALTER FUNCTION rag_internal.is_own_name(identity rag_internal.identity, collection rag_internal.collection) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.is_own_name(identity rag_internal.identity, collection rag_internal.collection) IS 'Whether the identity, or a role that it has usage of, owns the collection in its tenant, or it sees everything.';

CREATE FUNCTION rag_internal.is_own_work(who name, ticket bytea, role_name name, role_oid oid, reader text, tenant text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
    select rag_internal.owns_work(role_name, role_oid, reader, tenant,
                                  rag_internal.authenticate(who, ticket))
$$;

ALTER FUNCTION rag_internal.is_own_work(who name, ticket bytea, role_name name, role_oid oid, reader text, tenant text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.is_own_work(who name, ticket bytea, role_name name, role_oid oid, reader text, tenant text) IS 'Whether the caller ran the work; used by policies.';

CREATE FUNCTION rag_internal.is_session_role(who name) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select who = case current_setting('role') when 'none' then session_user
                                              else current_setting('role')::name end
$$;

ALTER FUNCTION rag_internal.is_session_role(who name) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.is_session_role(who name) IS 'Whether the settings of the session are this role''s.';

CREATE FUNCTION rag_internal.iso_time(moment timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case when isfinite(moment)
                then to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
                else moment::text end
$$;

ALTER FUNCTION rag_internal.iso_time(moment timestamp with time zone) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.iso_time(moment timestamp with time zone) IS 'UTC in ISO 8601, seconds cut off; infinity and -infinity by these words.';

CREATE FUNCTION rag_internal.json_texts(value jsonb) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT (ARRAY[(value)::text] || ARRAY( SELECT (v.v #>> '{}'::text[])
            FROM jsonb_path_query(json_texts.value, 'strict $.**?(@.type() == "string" || @.type() == "number")'::jsonpath) v(v)
         UNION ALL
          SELECT k.k
            FROM jsonb_path_query(json_texts.value, 'strict $.**?(@.type() == "object")'::jsonpath) o(o),
             LATERAL jsonb_object_keys(o.o) k(k)));
END;

ALTER FUNCTION rag_internal.json_texts(value jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.json_texts(value jsonb) IS 'The value as text, its keys, strings and numbers.';

CREATE FUNCTION rag_internal.keep_answer(result rag_internal.retrieval) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _request rag_internal.search_request := (result).request;
begin
    if current_setting('transaction_read_only') = 'on' then
        return;
    end if;
    perform rag_internal.forget_answers(100);
    insert into rag_internal.cached_answer
        (key, question_hash, question_terms, query_vector, collection_ids, status, ranking,
         leg_hits, expires_at)
    values ((result).answer_key, rag_internal.keyed_hash(convert_to(_request.query, 'UTF8')),
            case when _request.cache ? 'similarity'
                 then rag_internal.question_terms(_request.query) end,
            case when _request.cache ? 'similarity'
                 then rag_internal.question_vector(_request, (result).scope) end,
            (select s.collection_ids from rag_internal.sight((result).scope) s), (result).status,
            (result).ranking, (result).leg_hits,
            clock_timestamp() + make_interval(secs => (_request.cache ->> 'ttl')::float8));
end
$$;

ALTER FUNCTION rag_internal.keep_answer(result rag_internal.retrieval) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.keep_answer(result rag_internal.retrieval) IS 'Keeps which passages answered the question, for the ttl of the cache. A transaction that can only read keeps nothing.';

CREATE FUNCTION rag_internal.keep_up_index(document rag_internal.document) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _threshold constant integer := 2048;
    _text_config text := (document).text_config;
    _fresh bigint := (select count(*) from rag_internal.chunk c
                      where c.document_id = (document).document_id);
begin
    -- an older snapshot would collide with whoever builds or merges at the same time
    if random() > _fresh / 256.0
       or current_setting('transaction_isolation') <> 'read committed' then
        return;
    end if;
    if (select sum(p.passages) from rag_internal.pending p
        where p.text_config = _text_config) >= _threshold then
        begin
            -- who erases has it, until its end
            lock table rag_internal.word in row exclusive mode nowait;
        exception when lock_not_available then
            return;
        end;
        perform rag_internal.build_segment(_text_config);
        -- larger merges take seconds, and are left to rag.maintain()
        perform rag_internal.merge_segments(_text_config, 16384);
        perform rag_internal.sweep_tombstones();
    end if;
end
$$;

ALTER FUNCTION rag_internal.keep_up_index(document rag_internal.document) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.keep_up_index(document rag_internal.document) IS 'Builds a segment where at least 2,048 passages are pending, and merges small ones; looked at once for each 256 passages that are indexed, on average, and at read committed only. document: what was indexed.';

CREATE FUNCTION rag_internal.keyed_hash(input bytea) RETURNS bytea
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return (
        select sha256(k.secret || sha256(k.secret || convert_to('keyed hash|', 'UTF8') || input))
        from rag_internal.ticket_key k);
end
$$;

ALTER FUNCTION rag_internal.keyed_hash(input bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.keyed_hash(input bytea) IS 'HMAC-like SHA-256 under the secret of this database (RFC 2104 nesting).';

CREATE FUNCTION rag_internal.known_collections(identity rag_internal.identity, collections rag_internal.collection[], is_named boolean) RETURNS rag_internal.collection[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    _principal_ids bigint[] := (identity).principal_ids;
    _tenant text := (identity).tenant;
    _ids bigint[] := '{}';
    _acl_ids bigint[] := '{}';
    _is_own boolean := true;
    _collection rag_internal.collection;
    _known bigint[] := '{}';
    _scope rag_internal.scope;
begin
    foreach _collection in array collections loop
        _ids := _ids || _collection.collection_id;
        _acl_ids := _acl_ids || _collection.acl_id;
        _is_own := _is_own and _collection.owner_id = any (_principal_ids)
                   and _collection.tenant = _tenant;
    end loop;
    if _is_own then
        return collections;
    end if;
    if is_named then
        -- as a rule they are known by a live document: the engine keeps in mind where it sees one
        _scope.identity := known_collections.identity;
        _scope.collection_ids := _ids;
        select s.collection_ids into _known from rag_internal.sight(_scope) s;
        if _known @> _ids then
            return collections;
        end if;
    end if;
    _known := _known || array(
        select c.collection_id
        from unnest(collections) c
        where (c.owner_id = any (_principal_ids) and c.tenant = _tenant)
           or c.acl_id in (select rag_internal.visible_acls(identity, _acl_ids))
           or exists (select from rag_internal.collection_writer w
                      where w.collection_id = c.collection_id
                        and w.principal_id = any (_principal_ids) and c.tenant = _tenant));
    if not _known @> _ids then
        _acl_ids := array(select rag_internal.visible_acls(identity));
        _known := _known || array(
            select d.k from unnest(_ids) d (k)
            where d.k <> all (_known)
              and exists (select from rag_internal.document o
                          where o.collection_id = d.k
                            and o.acl_id in (select unnest(_acl_ids))));
    end if;
    return array(
        select c from unnest(collections) c where c.collection_id = any (_known)
        order by c.name, c.collection_id);
end
$$;

ALTER FUNCTION rag_internal.known_collections(identity rag_internal.identity, collections rag_internal.collection[], is_named boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.known_collections(identity rag_internal.identity, collections rag_internal.collection[], is_named boolean) IS 'By name. is_named: a few, of which most are known.';

CREATE FUNCTION rag_internal.known_models(who name, ticket bytea) RETURNS TABLE(name text, kind text, provider text, revision text, dimensions integer, metric text, query_prefix text, passage_prefix text, max_tokens integer, is_default boolean, created_at timestamp with time zone, storage text, quantization text, m smallint, ef_construction smallint, ef_search smallint, long_input text, endpoints jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    return query
        select m.name, m.kind, m.provider, m.revision, m.dimensions, m.metric, m.query_prefix,
               m.passage_prefix, m.max_tokens, m.is_default, m.created_at, m.storage,
               m.quantization, m.hnsw_m, m.hnsw_ef_construction, m.hnsw_ef_search, m.long_input,
               case when _identity.sees_everything then m.endpoints end
        from rag_internal.model m
        where pg_has_role(_identity.who, 'rag_writer', 'usage')
           or m.model_id in (select k.model_id
                             from rag_internal.visible_collections(_identity, null) k);
end
$$;

ALTER FUNCTION rag_internal.known_models(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.known_models(who name, ticket bytea) IS 'Rows of rag.model.';

CREATE FUNCTION rag_internal.known_rerankers(who name, ticket bytea) RETURNS TABLE(name text, provider text, revision text, max_tokens integer, scores text, is_default boolean, created_at timestamp with time zone, endpoints jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    return query
        select r.name, r.provider, r.revision, r.max_tokens, r.scores, r.is_default, r.created_at,
               case when _identity.sees_everything then r.endpoints end
        from rag_internal.reranker r;
end
$$;

ALTER FUNCTION rag_internal.known_rerankers(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.known_rerankers(who name, ticket bytea) IS 'Rows of rag.reranker.';

CREATE FUNCTION rag_internal.lacks_vectors(scope rag_internal.scope) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    -- as a rule nothing waits at all
    return exists (select from rag_internal.embedding_task)
       and rag_internal.sees_waiting(scope, rag_internal.live_passages(
               scope,
               case when not ((scope).identity).sees_everything then '{acls}' end,
               true));
end
$$;

ALTER FUNCTION rag_internal.lacks_vectors(scope rag_internal.scope) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.lacks_vectors(scope rag_internal.scope) IS 'Whether a passage in scope, which the caller can see, has no vector yet, or none for good, under the model that its collection is searched by.';

CREATE TABLE rag_internal.dataset (
    dataset_id bigint DEFAULT rag_internal.new_id() NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    tenant text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    owner_id bigint NOT NULL,
    description text,
    collections text[],
    fingerprint bytea NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
ALTER TABLE ONLY rag_internal.dataset ALTER COLUMN name SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.dataset ALTER COLUMN description SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.dataset ALTER COLUMN collections SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.dataset ALTER COLUMN fingerprint SET STATISTICS 0;

ALTER TABLE rag_internal.dataset OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.dataset IS 'Questions with judged answers. collections: where they are asked (null: wherever who evaluates may read). fingerprint: SHA-256 of questions and judgments.';

CREATE FUNCTION rag_internal.last_evaluation(identity rag_internal.identity, dataset rag_internal.dataset, strategy text, stage text, top_k integer) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select jsonb_build_object(
        'evaluated_at', e.evaluated_at, 'settings', e.settings, 'ndcg_10', e.ndcg_10,
        'mrr_10', e.mrr_10, 'recall_5', e.recall_5, 'recall_20', e.recall_20,
        'recall_50', e.recall_50)
    from rag_internal.evaluation e
    where e.dataset_id = (dataset).dataset_id and e.fingerprint = (dataset).fingerprint
      and e.reader is not distinct from (identity).reader and e.tenant = (identity).tenant
      and e.strategy = last_evaluation.strategy and e.stage = last_evaluation.stage
      and e.top_k = last_evaluation.top_k
    order by e.evaluated_at desc
    limit 1
$$;

ALTER FUNCTION rag_internal.last_evaluation(identity rag_internal.identity, dataset rag_internal.dataset, strategy text, stage text, top_k integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.last_evaluation(identity rag_internal.identity, dataset rag_internal.dataset, strategy text, stage text, top_k integer) IS 'The newest kept run of the same identity by the same questions and judgments, whatever its settings.';

CREATE FUNCTION rag_internal.lead_of_bm25(hits rag_internal.leg_hit[], request rag_internal.search_request) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _lead constant double precision := (request).bm25_lead;
    _best double precision;
    _second double precision;
begin
    if _lead is null then
        return null;
    end if;
    select max(h.score) filter (where h.rank = 1), max(h.score) filter (where h.rank = 2)
    into _best, _second
    from unnest(hits) h
    where h.leg = 'bm25';
    return case when _best >= _lead * coalesce(_second, 0)
                then format('the best passage by words leads by %s',
                            case when _second > 0
                                 then round((_best / _second)::numeric, 2)::text
                                 else 'all' end) end;
end
$$;

ALTER FUNCTION rag_internal.lead_of_bm25(hits rag_internal.leg_hit[], request rag_internal.search_request) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.lead_of_bm25(hits rag_internal.leg_hit[], request rag_internal.search_request) IS 'Why the semantic leg can be skipped: the best BM25 score is bm25_lead times the second or more; null where it cannot.';

CREATE FUNCTION rag_internal.leg_depth(places bigint) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return (
        select min(d) from unnest(array[100, 1000, 10000, 100000, 1000000, 9223372036854775807]) d
        where d >= places);
end
$$;

ALTER FUNCTION rag_internal.leg_depth(places bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.leg_depth(places bigint) IS 'The least of 100, 1,000, 10,000, 100,000, 1,000,000 and everything that holds so many places.';

CREATE FUNCTION rag_internal.legs_of(request rag_internal.search_request) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    -- in a hybrid a weight of 0 switches a leg off; words come first where they can spare the rest
    return (
        select case when (request).strategy <> 'hybrid' then array[(request).strategy]
                    else array(
                        select l.leg
                        from unnest('{semantic, hyde, bm25, fuzzy}'::text[])
                             with ordinality l (leg, n)
                        where ((request).weights ->> l.leg)::double precision > 0
                          and (l.leg <> 'hyde' or (request).hyde_vector is not null)
                        order by l.leg = 'bm25' and (request).bm25_lead is not null desc, l.n) end);
end
$$;

ALTER FUNCTION rag_internal.legs_of(request rag_internal.search_request) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.legs_of(request rag_internal.search_request) IS 'Of a completed request: semantic, hyde (where there is its vector), bm25 and fuzzy for a hybrid, without those of weight 0; else the one that the strategy names.';

CREATE FUNCTION rag_internal.letters_of(input text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return regexp_replace(input collate "default", '[^[:alnum:]]+', '', 'g');
end
$$;

ALTER FUNCTION rag_internal.letters_of(input text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.letters_of(input text) IS 'Its letters and digits alone.';

CREATE FUNCTION rag_internal.level_acl(collection rag_internal.collection, security_level smallint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _acl_id bigint;
begin
    loop
        select a.acl_id into _acl_id
        from rag_internal.acl a
        where a.grants_id = (collection).acl_id and a.security_level = level_acl.security_level;
        exit when found;
        insert into rag_internal.acl (grants_id, tenant, security_level)
        values ((collection).acl_id, (collection).tenant, level_acl.security_level)
        on conflict do nothing;
    end loop;
    return _acl_id;
end
$$;

ALTER FUNCTION rag_internal.level_acl(collection rag_internal.collection, security_level smallint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.level_acl(collection rag_internal.collection, security_level smallint) IS 'acl_id of the class that has the readers of the collection, today''s and later ones, and this security level.';

CREATE FUNCTION rag_internal.lexical_scope(identity rag_internal.identity, collections text[]) RETURNS rag_internal.scope
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _scope rag_internal.scope;
begin
    _scope.identity := identity;
    if collections is not null
       or exists (select from rag_internal.restricted_tenant r
                  where r.tenant = (identity).tenant) then
        _scope.collection_ids := rag_internal.search_collections(identity, collections);
    end if;
    return _scope;
end
$$;

ALTER FUNCTION rag_internal.lexical_scope(identity rag_internal.identity, collections text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.lexical_scope(identity rag_internal.identity, collections text[]) IS 'A scope without a filter; P0002 where a collection is missing or hidden, 42501 where the tenant may not search it.';

CREATE FUNCTION rag_internal.line_breaks(content text) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    BEGIN ATOMIC
 SELECT (length(content) - length(replace(content, chr(10), ''::text)));
END;

ALTER FUNCTION rag_internal.line_breaks(content text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.line_breaks(content text) IS 'How many line feeds a text has.';

CREATE FUNCTION rag_internal.live_passages(scope rag_internal.scope, acls text, newest_only boolean) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'iso'
    AS $_$
declare
    _moment text := case when (scope).as_of is null then 'statement_timestamp()'
                         else format('%L::timestamptz', (scope).as_of) end;
    _is_valid text := format(
        '(%%1$s.valid_from is null or %%1$s.valid_from <= %1$s) '
        'and (%%1$s.valid_until is null or %%1$s.valid_until > %1$s)', _moment);
    _has_archived boolean := coalesce((scope).include_archived, false);
    -- as a rule nothing has another version
    _is_newest boolean := newest_only and not _has_archived and (
        select min(d.collection_id) from rag_internal.document d where d.version <> '') is not null;
    _conditions text[] := array[
        case when (scope).min_updated_at is not null
             then format('d.updated_at >= %L::timestamptz', (scope).min_updated_at) end,
        case when (scope).max_updated_at is not null
             then format('d.updated_at <= %L::timestamptz', (scope).max_updated_at) end,
        case when not _has_archived
             then format('d.status = ''active'' and %s', format(_is_valid, 'd'))
             when (scope).as_of is not null
             then format('(d.valid_from is null or d.valid_from <= %s)', _moment) end,
        case when _is_newest
             -- one by one, of few passages
             then format('not exists (select from rag_internal.newer_version n '
                         'where n.document_id = d.document_id and n.status = ''active'' '
                         'and %s%s offset 0)',
                         format(_is_valid, 'n'),
                         -- without an estimate, which takes long for many classes
                         ' and coalesce(n.acl_id = any (' || acls || '), false)') end];
begin
    if coalesce((scope).min_updated_at, (scope).max_updated_at, (scope).as_of) is null
       and not _has_archived and not _is_newest then
        return 'rag_internal.live_chunk';
    end if;
    return format(
        '(select c.chunk_id, c.document_id, c.chunk_index, c.tsv, d.collection_id, d.acl_id, '
        'd.attributes, d.text_config '
        'from rag_internal.chunk c join rag_internal.document d using (document_id) where %s)',
        coalesce(nullif(array_to_string(_conditions, ' and '), ''), 'true'));
end
$_$;

ALTER FUNCTION rag_internal.live_passages(scope rag_internal.scope, acls text, newest_only boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.live_passages(scope rag_internal.scope, acls text, newest_only boolean) IS 'rag_internal.live_chunk, or a subquery of its columns, for what the scope says of freshness. acls: an expression for the classes among which newer versions count; null: all.';

CREATE FUNCTION rag_internal.load_engine() RETURNS void
    LANGUAGE plpython3u
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
import os, sys
rows = plpy.execute(
    "select name, value from rag_internal.setting "
    "where name in ('python_path', 'model_path', 'index_cache_mb')"
)
setting = {row["name"]: row["value"] for row in rows}
sys.path[:0] = [path for path in setting.get("python_path", "").split(os.pathsep) if path]
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # read when numpy and onnxruntime load, and never again
try:
    from ragsql_engine.session import Engine
except ImportError as error:
    plpy.error(
        f"the ragsql engine cannot be loaded by the server's Python: {error}",
        sqlstate="55000",
        hint="Install ragsql with the Python that plpython3u links, where the server's user can "
        "read it, and put that folder into rag_internal.setting as python_path; `ragsql doctor` "
        "shows both.",
    )
GD["ragsql"] = Engine(plpy, setting.get("model_path"))
if "index_cache_mb" in setting:
    GD["ragsql"].index_cache_mb = setting["index_cache_mb"]
$$;

ALTER FUNCTION rag_internal.load_engine() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.load_engine() IS 'Imports ragsql_engine into the session; 55000 with the next step where it is not to be found.';

CREATE FUNCTION rag_internal.lock_collections(identity rag_internal.identity, document_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform from rag_internal.collection k
    where k.collection_id in (select d.collection_id from rag_internal.document d
                              where d.document_id = any (document_ids))
      and rag_internal.owns_collection(identity, k)
    order by k.collection_id
    for no key update;
end
$$;

ALTER FUNCTION rag_internal.lock_collections(identity rag_internal.identity, document_ids uuid[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.lock_collections(identity rag_internal.identity, document_ids uuid[]) IS 'Who changes documents of several collections takes them in the order of their ids.';

CREATE FUNCTION rag_internal.log_search(result rag_internal.retrieval) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _identity rag_internal.identity := (result).identity;
    _query text := ((result).request).query;
    _mode text := (select s.mode from rag_internal.search_log_setting s);
    _row rag_internal.search_log;
begin
    if _mode = 'off' then
        return;
    end if;
    _row.log_id := rag_internal.new_id();
    _row.searched_at := clock_timestamp();
    _row.role_name := _identity.who;
    _row.reader := _identity.reader;
    _row.tenant := _identity.tenant;
    _row.source := _identity.source;
    _row.strategy := (result).strategy;
    _row.collections := ((result).request).collections;
    -- first redacted: of a secret that is cut, what is left is no match
    _row.query := case when _mode = 'text'
                       then left(rag_internal.redact_text((result).collection_ids,
                                                          _query), 8000) end;
    _row.query_hash := (
        select sha256(k.secret || convert_to(_query, 'UTF8'))
        from rag_internal.ticket_key k);
    _row.document_ids := array(select h.document_id from unnest((result).hits) h);
    _row.chunk_indexes := array(select h.chunk_index from unnest((result).hits) h);
    _row.steps := coalesce((
        select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
            'step', s.step, 'route', s.route, 'passages', s.passages,
            'milliseconds', round(s.milliseconds::numeric, 3))))
        from unnest((result).steps) s), '[]');
    if current_setting('transaction_read_only') = 'off' then
        insert into rag_internal.search_log select (_row).*;
    end if;
    raise log 'ragsql search %: % as role %, tenant "%", % of query %; shown: %', _row.log_id,
        coalesce(_row.reader, 'nobody'), _row.role_name, _row.tenant, _row.strategy,
        left(encode(_row.query_hash, 'hex'), 16),
        (select coalesce(string_agg(d || '/' || c, ' '), 'nothing')
         from unnest(_row.document_ids[:100], _row.chunk_indexes[:100]) s (d, c));
end
$$;

ALTER FUNCTION rag_internal.log_search(result rag_internal.retrieval) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.log_search(result rag_internal.retrieval) IS 'Records what was asked and returned, as rag.configure_search_log says.';

CREATE FUNCTION rag_internal.marginal_relevance(scores double precision[], contents text[], vectors bytea[], trade double precision) RETURNS integer[]
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).marginal_relevance(scores, contents, vectors, trade)
$$;

ALTER FUNCTION rag_internal.marginal_relevance(scores double precision[], contents text[], vectors bytea[], trade double precision) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.marginal_relevance(scores double precision[], contents text[], vectors bytea[], trade double precision) IS 'Numbers of the passages, from 1, in the order of maximal marginal relevance (Carbonell, Goldstein, SIGIR 1998): next is the one with the greatest trade x relevance - (1 - trade) x greatest similarity to those before it. Relevance: the scores, min-max. Similarity: cosine of two vectors, or the share of common words where one has no vector of the same length.';

CREATE FUNCTION rag_internal.marked_passage(content text, start_offset integer, query text, text_config text, OUT marked text, OUT matches jsonb) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _found rag_internal.highlighted := rag_internal.highlight(marked_passage.content,
                                                              marked_passage.query,
                                                              marked_passage.text_config);
begin
    marked := _found.marked;
    matches := coalesce((
        select jsonb_agg(jsonb_build_array(start_offset + _found.matches[i],
                                           start_offset + _found.matches[i + 1]) order by i)
        from generate_series(1, cardinality(_found.matches), 2) i), '[]');
end
$$;

ALTER FUNCTION rag_internal.marked_passage(content text, start_offset integer, query text, text_config text, OUT marked text, OUT matches jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.marked_passage(content text, start_offset integer, query text, text_config text, OUT marked text, OUT matches jsonb) IS 'marked: the content with <mark>...</mark> around what matched. matches: [[start, end], ...] in characters of the document, end exclusive.';

CREATE FUNCTION rag_internal.matching_documents(identity rag_internal.identity, collection_ids bigint[], pattern text, kind text, among uuid[] DEFAULT NULL::uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
#variable_conflict use_variable
begin
    return query
        select d.document_id
        from (select d.*
              from rag_internal.document d
              where d.collection_id = any (collection_ids)
                and (among is null or d.document_id = any (among))
                and d.acl_id in (select rag_internal.visible_acls(identity))
              offset 0) d
        where rag_internal.matches_pattern(d.content, pattern, kind)
           or rag_internal.matches_pattern(d.title, pattern, kind)
           or rag_internal.matches_pattern(d.source, pattern, kind)
           or rag_internal.matches_pattern(d.version, pattern, kind)
           or (d.tags <> '{}' and rag_internal.any_matches(d.tags, pattern, kind))
           or (d.metadata <> '{}'
               and rag_internal.any_matches(rag_internal.json_texts(d.metadata), pattern, kind))
           -- what rag.ingest_chunks was given besides the content
           or exists (
               select from rag_internal.chunk c
               where c.document_id = d.document_id
                 and (rag_internal.matches_pattern(c.embed_text, pattern, kind)
                      or (c.heading <> '{}'
                          and rag_internal.any_matches(c.heading, pattern, kind))
                      or (c.metadata <> '{}'
                          and rag_internal.any_matches(rag_internal.json_texts(c.metadata),
                                                       pattern, kind))));
end
$$;

ALTER FUNCTION rag_internal.matching_documents(identity rag_internal.identity, collection_ids bigint[], pattern text, kind text, among uuid[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.matching_documents(identity rag_internal.identity, collection_ids bigint[], pattern text, kind text, among uuid[]) IS 'Documents in these collections (among null: any of them) whose content, title, source, version, tags or metadata match, or a heading, metadata or embed_text of their passages.';

CREATE FUNCTION rag_internal.merge_hits(hits rag.hit[], weights double precision[], request rag_internal.search_request) RETURNS rag.hit[]
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _degraded text[] := (
        select array_agg(distinct n) from unnest(hits) h, unnest(h.degraded) n);
    _ranking rag_internal.leg_hit[] := array(
        select row('merge',
                   row_number() over (order by s.score desc, s.document_id, s.chunk_index),
                   s.score, s.document_id, s.chunk_index, null)::rag_internal.leg_hit
        from (select h.document_id, h.chunk_index,
                     sum(rag_internal.reciprocal_rank(w.weight, 1, h.rank)
                         order by h.ordinality) as score
              from unnest(hits) with ordinality h
              join unnest(weights) with ordinality w (weight, ordinality) using (ordinality)
              group by h.document_id, h.chunk_index) s
        order by s.score desc, s.document_id, s.chunk_index);
    _merged rag.hit[] := '{}';
    _place record;
    _hit rag.hit;
begin
    _ranking := rag_internal.choose_candidates(_ranking, request);
    for _place in
        select r.rank, r.score, b.place
        from unnest(_ranking[:(request).top_k]) r
        join (select distinct on (h.document_id, h.chunk_index)
                     h.document_id, h.chunk_index, h.ordinality as place
              from unnest(hits) with ordinality h
              join unnest(weights) with ordinality w (weight, ordinality) using (ordinality)
              order by h.document_id, h.chunk_index,
                       rag_internal.reciprocal_rank(w.weight, 1, h.rank) desc, h.ordinality) b
             using (document_id, chunk_index)
        order by r.rank
    loop
        _hit := hits[_place.place];
        _hit.rank := _place.rank;
        _hit.score := _place.score;
        _hit.degraded := _degraded;
        _merged := array_append(_merged, _hit);
    end loop;
    return _merged;
end
$$;

ALTER FUNCTION rag_internal.merge_hits(hits rag.hit[], weights double precision[], request rag_internal.search_request) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.merge_hits(hits rag.hit[], weights double precision[], request rag_internal.search_request) IS 'The top_k best passages by the sum of weight / (1 + rank) over the lists that have them; each is shown as the list tells it that adds most. weights: of the list of each hit.';

CREATE FUNCTION rag_internal.merge_jobs(job_ids bigint[]) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if cardinality(job_ids) > 1 then
        update rag_internal.embedding_task t set job_id = job_ids[1]
        where t.job_id = any (job_ids[2:]);
        update rag_internal.job j
        set total = s.total, status = s.status, error = s.error, finished_at = s.finished_at
        from (select sum(o.total) as total, max(o.error) as error,
                     case when bool_or(o.status = 'queued') then 'queued' else 'failed' end
                         as status,
                     case when not bool_or(o.status = 'queued') then max(o.finished_at) end
                         as finished_at
              from rag_internal.job o where o.job_id = any (job_ids)) s
        where j.job_id = job_ids[1];
        delete from rag_internal.job j where j.job_id = any (job_ids[2:]);
    end if;
    return job_ids[1];
end
$$;

ALTER FUNCTION rag_internal.merge_jobs(job_ids bigint[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.merge_jobs(job_ids bigint[]) IS 'Joins jobs of this transaction into the first of them, and returns it.';

CREATE FUNCTION rag_internal.merge_segments(text_config text, most_passages integer) RETURNS boolean
    LANGUAGE plpython3u
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).merge_segments(text_config, most_passages)
$$;

ALTER FUNCTION rag_internal.merge_segments(text_config text, most_passages integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.merge_segments(text_config text, most_passages integer) IS 'Whether something was merged; the new segments together have at most most_passages passages (65,536 merges what there is into few large ones).';

CREATE FUNCTION rag_internal.microseconds(moment timestamp with time zone) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case moment when 'infinity' then 9223372036854775807
                       when '-infinity' then -9223372036854775807
                       else least(extract(epoch from moment) * 1000000, 9223372036854775806)::bigint
           end
$$;

ALTER FUNCTION rag_internal.microseconds(moment timestamp with time zone) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.microseconds(moment timestamp with time zone) IS 'Microseconds since 1970; the ends of bigint for the infinities, null for null.';

CREATE FUNCTION rag_internal.model_is_used(model_id integer) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select exists (select from rag_internal.collection k
                   where k.model_id = model_is_used.model_id)
        or exists (select from rag_internal.collection_model k
                   where k.model_id = model_is_used.model_id)
        or exists (select from rag_internal.embedding e
                   where e.model_id = model_is_used.model_id)
$$;

ALTER FUNCTION rag_internal.model_is_used(model_id integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.model_is_used(model_id integer) IS 'Whether a collection uses or keeps the model, or there is a vector of it.';

CREATE FUNCTION rag_internal.model_progress(collection rag_internal.collection, model_id integer) RETURNS SETOF rag.model_progress
    LANGUAGE sql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select m.name, m.model_id is not distinct from (collection).model_id, s.passages, s.embedded,
           s.passages - s.embedded - s.failed, s.failed
    from rag_internal.model m
    cross join lateral (
        select count(*) as passages, count(e.chunk_id) as embedded,
               count(*) filter (where e.chunk_id is null and t.is_dead) as failed
        from rag_internal.document d
        join rag_internal.chunk c using (document_id)
        left join rag_internal.embedding e on e.model_id = m.model_id and e.chunk_id = c.chunk_id
        left join rag_internal.embedding_task t
               on t.model_id = m.model_id and t.chunk_id = c.chunk_id
        where d.collection_id = (collection).collection_id
          and coalesce(c.value >= (collection).min_value, true)) s
    where case when model_progress.model_id is not null then m.model_id = model_progress.model_id
               else m.model_id = (collection).model_id
                    or m.model_id in (select n.model_id from rag_internal.collection_model n
                                      where n.collection_id = (collection).collection_id) end
    order by 2 desc, 1
$$;

ALTER FUNCTION rag_internal.model_progress(collection rag_internal.collection, model_id integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.model_progress(collection rag_internal.collection, model_id integer) IS 'Rows of rag.model_progress: of one model, or (null) of those that the collection keeps vectors of.';

CREATE FUNCTION rag_internal.model_status(model rag_internal.model) RETURNS jsonb
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
import json
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return json.dumps(GD["ragsql"].require(6).model_status(model))
$$;

ALTER FUNCTION rag_internal.model_status(model rag_internal.model) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.model_status(model rag_internal.model) IS 'present: the model''s files are there, or its host is allowed and its key set; directory and detail say more. Loads no weights, and makes no call but to an embedder on this machine.';

CREATE FUNCTION rag_internal.near_words(misspelt text, variants text[], max_distance integer, fresh text[]) RETURNS text[]
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET jit TO 'off'
    SET "pg_trgm.similarity_threshold" TO '0.2'
    AS $$
begin
    if variants is not null then
        -- short words share too few trigrams with their misspellings
        return array(select w.word from rag_internal.word w
                     where w.word = any (variants)
                     union
                     select f from unnest(fresh) f where f = any (variants));
    end if;
    if misspelt ~ '[^\x01-\x7f]' and "public".show_trgm(U&'\0434') = '{}' then
        -- the locale of the database knows no letters but those of ASCII: others make no trigrams
        return array(
            select w.word
            from rag_internal.word w
            where length(w.word) between length(misspelt) - max_distance
                                     and length(misspelt) + max_distance
              and w.word ~ '[^\x01-\x7f]'
            union
            select f from unnest(fresh) f where f ~ '[^\x01-\x7f]');
    end if;
    return array(
        select w.word
        from rag_internal.word w
        where w.word operator("public".%) misspelt
          and length(w.word) between length(misspelt) - max_distance
                                 and length(misspelt) + max_distance
        union
        select f from unnest(fresh) f where f operator("public".%) misspelt);
end
$$;

ALTER FUNCTION rag_internal.near_words(misspelt text, variants text[], max_distance integer, fresh text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.near_words(misspelt text, variants text[], max_distance integer, fresh text[]) IS 'Those of the variants that are words, where variants are given; else words that share trigrams with misspelt (similarity 0.2) and differ by at most max_distance in length. Where the locale makes no trigrams of a word, those that differ so in length. fresh: words that the dictionary has not got yet, at most max_distance edits away; the same holds for them.';

CREATE FUNCTION rag_internal.nobody(who name, why text) RETURNS rag_internal.identity
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _identity rag_internal.identity;
begin
    _identity.who := nobody.who;
    _identity.tenant := '';
    _identity.clearance := 0;
    _identity.sees_everything := false;
    _identity.source := 'nobody';
    _identity.principal_ids := '{}';
    _identity.why := nobody.why;
    return _identity;
end
$$;

ALTER FUNCTION rag_internal.nobody(who name, why text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.nobody(who name, why text) IS 'An identity without principals.';

CREATE FUNCTION rag_internal.note_access_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    insert into rag_internal.access_change (stamp) values (rag_internal.new_id());
    if random() < 1.0 / 64 and current_setting('transaction_isolation') = 'read committed' then
        with added as (
            delete from rag_internal.access_change a
            where a.ctid in (select f.ctid from rag_internal.access_change f
                             for update skip locked)
            returning a.stamp)
        insert into rag_internal.access_change (stamp) select sum(a.stamp) from added a;
    end if;
    return null;
end
$$;

ALTER FUNCTION rag_internal.note_access_change() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.note_access_change() IS 'Adds a random stamp to rag_internal.access_change.';

CREATE FUNCTION rag_internal.note_content_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _collection_ids bigint[];
begin
    -- as a rule nobody keeps answers
    if not exists (select from rag_internal.collection k where k.search_defaults ? 'cache') then
        return null;
    end if;
    if tg_op = 'INSERT' then
        _collection_ids := array(select distinct n.collection_id from new_rows n);
    elsif tg_op = 'DELETE' then
        _collection_ids := array(select distinct o.collection_id from old_rows o);
    else
        _collection_ids := array(select n.collection_id from new_rows n
                                 union
                                 select o.collection_id from old_rows o);
    end if;
    insert into rag_internal.content_change (collection_id, stamp)
    select k.collection_id, rag_internal.new_id()
    from rag_internal.collection k
    where k.collection_id = any (_collection_ids) and k.search_defaults ? 'cache';
    if found and random() < 1.0 / 64
       and current_setting('transaction_isolation') = 'read committed' then
        with added as (
            delete from rag_internal.content_change a
            where a.ctid in (select f.ctid from rag_internal.content_change f
                             where f.collection_id = any (_collection_ids)
                             for update skip locked)
            returning a.collection_id, a.stamp)
        insert into rag_internal.content_change (collection_id, stamp)
        select a.collection_id, sum(a.stamp) from added a group by a.collection_id;
    end if;
    return null;
end
$$;

ALTER FUNCTION rag_internal.note_content_change() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.note_content_change() IS 'Adds a random stamp to rag_internal.content_change for each collection of the rows that keeps answers.';

CREATE FUNCTION rag_internal.note_search_status(identity rag_internal.identity, status text) RETURNS void
    LANGUAGE plpython3u
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
GD["ragsql"].require(6).note_search_status(identity, status)
$$;

ALTER FUNCTION rag_internal.note_search_status(identity rag_internal.identity, status text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.note_search_status(identity rag_internal.identity, status text) IS 'Notes the status of a search; another identity in the same session is not told of it.';

CREATE FUNCTION rag_internal.noted_search_status(identity rag_internal.identity) RETURNS text
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).noted_search_status(identity)
$$;

ALTER FUNCTION rag_internal.noted_search_status(identity rag_internal.identity) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.noted_search_status(identity rag_internal.identity) IS 'What rag_internal.note_search_status was told last, of this identity; else null.';

CREATE FUNCTION rag_internal.own_collection(identity rag_internal.identity, name text, exclusive boolean, or_write boolean DEFAULT false) RETURNS rag_internal.collection
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _collection rag_internal.collection;
    _writes boolean;
begin
    select k.* into _collection
    from rag_internal.visible_collections(identity, array[own_collection.name]) k;
    _writes := or_write and (rag_internal.writes_collection(identity, _collection)
                             or (identity).sees_everything);
    -- by its plain name nobody else's is written to: whoever has one of a usual name would catch
    -- what others mean to put into their own
    if (case when or_write and own_collection.name = _collection.name
             then not rag_internal.is_own_name(identity, _collection)
             else not (_writes or rag_internal.owns_collection(identity, _collection)) end) then
        raise exception using
            errcode = '42501',
            message = format('collection "%s" belongs to somebody else', own_collection.name),
            hint    = case when _writes
                           then format('To write to it, name it with its owner: %s; '
                                       'rag.create_collection(...) makes one of your own.',
                                       (select (rag_internal.qualified_names(
                                                    _collection.name, o, _collection.tenant))[
                                           case when (identity).sees_everything then 2 else 1 end]
                                        from rag_internal.principal o
                                        where o.principal_id = _collection.owner_id))
                           when or_write
                           then 'rag.create_collection(...) makes one of your own; or its owner '
                                'lets you write: rag.grant_write(...).'
                           else 'Only its owner, or rag_admin, may change it.' end;
    end if;

    if exclusive is null then
        return _collection;
    end if;
    -- name and owner once more: whoever held the lock until now may have changed them
    if exclusive then
        select k.* into _collection from rag_internal.collection k
        where k.collection_id = _collection.collection_id
          and k.name = _collection.name and k.owner_id = _collection.owner_id
        for no key update;
    else
        select k.* into _collection from rag_internal.collection k
        where k.collection_id = _collection.collection_id
          and k.name = _collection.name and k.owner_id = _collection.owner_id
        for share;
    end if;
    if not found then
        raise exception using
            errcode = 'P0002',
            message = format('collection "%s" does not exist or is not visible to you',
                             own_collection.name),
            hint    = 'select name from rag.list_collections() shows those that are.';
    -- the right to write may have ended while this waited
    elsif not rag_internal.owns_collection(identity, _collection)
          and not rag_internal.writes_collection(identity, _collection) then
        raise exception using
            errcode = '42501',
            message = format('collection "%s" belongs to somebody else', own_collection.name),
            hint    = 'Its owner can let you write: rag.grant_write(...).';
    end if;
    return _collection;
end
$$;

ALTER FUNCTION rag_internal.own_collection(identity rag_internal.identity, name text, exclusive boolean, or_write boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.own_collection(identity rag_internal.identity, name text, exclusive boolean, or_write boolean) IS 'The locked row of a collection that the identity owns, or (or_write, named as OWNER/NAME) may write to; P0002 where it sees none, 42501 where it is another''s.';

CREATE FUNCTION rag_internal.own_dataset(identity rag_internal.identity, name text) RETURNS rag_internal.dataset
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _found rag_internal.dataset[] := array(
        select d
        from rag_internal.dataset d
        where d.name = own_dataset.name
          and ((identity).sees_everything
               or (d.owner_id = any ((identity).principal_ids) and d.tenant = (identity).tenant))
        -- an administrator's own before those of others
        order by d.owner_id = any ((identity).principal_ids) desc);
begin
    if cardinality(_found) = 0 then
        raise exception using
            errcode = 'P0002',
            message = format('dataset "%s" does not exist or is not yours', own_dataset.name),
            hint    = 'select name from rag.list_datasets() shows yours; rag.add_dataset(...) '
                      'makes one.';
    elsif cardinality(_found) > 1
          and (_found[1]).owner_id = any ((identity).principal_ids) is not true then
        raise exception using
            errcode = '42P09',
            message = format('several datasets are named "%s"', own_dataset.name),
            hint    = 'Their owners can evaluate by them.';
    end if;
    return _found[1];
end
$$;

ALTER FUNCTION rag_internal.own_dataset(identity rag_internal.identity, name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.own_dataset(identity rag_internal.identity, name text) IS 'The dataset of that name that the identity owns, for who sees everything anybody''s; P0002 where there is none, 42P09 where there are several of others.';

CREATE TABLE rag_internal.job (
    job_id bigint DEFAULT rag_internal.new_id() NOT NULL,
    kind text NOT NULL,
    collection_id bigint,
    status text DEFAULT 'queued'::text NOT NULL,
    error text,
    created_by name DEFAULT CURRENT_USER NOT NULL,
    role_oid oid DEFAULT (quote_ident((CURRENT_USER)::text))::regrole NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    total integer DEFAULT 0 NOT NULL,
    reader text,
    tenant text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT job_status_is_known CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text, 'cancelled'::text])))
);
ALTER TABLE ONLY rag_internal.job ALTER COLUMN error SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.job ALTER COLUMN reader SET STATISTICS 0;

ALTER TABLE rag_internal.job OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.job IS 'Background work as its caller knows it: total passages, each a row of rag_internal.embedding_task until it has its vector.';

COMMENT ON COLUMN rag_internal.job.reader IS 'Who asked for it: role:NAME or user:NAME; null: the role created_by.';

CREATE FUNCTION rag_internal.own_job(identity rag_internal.identity, job_id bigint) RETURNS rag_internal.job
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _job rag_internal.job;
begin
    select j.* into _job from rag_internal.job j
    where j.job_id = own_job.job_id and rag_internal.owns_job(j, identity);
    if not found then
        raise exception using
            errcode = 'P0002',
            message = format('job %s does not exist or is not yours', own_job.job_id),
            hint    = 'select job_id, status from rag.job_status shows those that are.';
    end if;
    return _job;
end
$$;

ALTER FUNCTION rag_internal.own_job(identity rag_internal.identity, job_id bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.own_job(identity rag_internal.identity, job_id bigint) IS 'The row of a job of the identity''s; P0002 where there is none.';

CREATE FUNCTION rag_internal.own_principals(who name, ticket bytea) RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
    select p.principal_id
    from rag_internal.authenticate(who, ticket) i
    join rag_internal.principal p on i.sees_everything or p.principal_id = any (i.principal_ids)
$$;

ALTER FUNCTION rag_internal.own_principals(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.own_principals(who name, ticket bytea) IS 'principal_id of each principal that the caller is (of all, for who sees everything); used by policies.';

CREATE FUNCTION rag_internal.owned_document(identity rag_internal.identity, document_id uuid, exclusive boolean, or_write boolean DEFAULT false) RETURNS rag_internal.document
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _document rag_internal.document;
    _collection rag_internal.collection;
    _owned boolean := false;
begin
    for _try in 1 .. 2 loop
        select k.* into _collection
        from rag_internal.collection k
        where k.collection_id = (select d.collection_id from rag_internal.document d
                                 where d.document_id = owned_document.document_id);
        _owned := found
                  and (rag_internal.owns_collection(identity, _collection)
                       or (or_write and rag_internal.writes_collection(identity, _collection)));
        -- once more with the lock: what was granted may have ended while this waited
        exit when not _owned or _try = 2;
        if exclusive then
            perform from rag_internal.collection k
            where k.collection_id = _collection.collection_id for no key update;
        else
            perform from rag_internal.collection k
            where k.collection_id = _collection.collection_id for share;
        end if;
    end loop;
    if _owned then
        select d.* into _document from rag_internal.document d
        where d.document_id = owned_document.document_id for update;
    else
        select d.* into _document from rag_internal.document d
        where d.document_id = owned_document.document_id
          and d.acl_id in (select rag_internal.visible_acls(identity, array[d.acl_id]));
    end if;
    if not found then
        raise exception using
            errcode = 'P0002',
            message = format('document %s does not exist or is not visible to you',
                             owned_document.document_id),
            hint    = 'select document_id, source from rag.document shows those that are.';
    elsif not _owned then
        raise exception using
            errcode = '42501',
            message = format('document %s belongs to somebody else', owned_document.document_id),
            hint    = case when or_write
                           then 'The owner of its collection can let you write: '
                                'rag.grant_write(...).'
                           else 'Only the owner of its collection, or rag_admin, may change it.'
                      end;
    end if;
    return _document;
end
$$;

ALTER FUNCTION rag_internal.owned_document(identity rag_internal.identity, document_id uuid, exclusive boolean, or_write boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.owned_document(identity rag_internal.identity, document_id uuid, exclusive boolean, or_write boolean) IS 'The locked row of a document that the identity may change; P0002 where it sees none, 42501 where it is another''s. exclusive: its collection is locked for update, too. or_write: writers of the collection may, too.';

CREATE FUNCTION rag_internal.owner_for(identity rag_internal.identity) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if (identity).reader is null then
        raise exception using
            errcode = '42501',
            message = 'who has no name to ragsql can own nothing',
            hint    = 'select why from rag.whoami() tells how you are seen.';
    end if;
    return rag_internal.principal_for((identity).reader, (identity).tenant);
end
$$;

ALTER FUNCTION rag_internal.owner_for(identity rag_internal.identity) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.owner_for(identity rag_internal.identity) IS 'principal_id of the user or role that the identity is; 42501 for nobody and for groups alone.';

CREATE TABLE rag_internal.principal (
    principal_id bigint DEFAULT rag_internal.new_id() NOT NULL,
    kind text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    role_oid oid,
    tenant text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT principal_kind_is_known CHECK ((kind = ANY (ARRAY['role'::text, 'user'::text, 'group'::text, 'public'::text]))),
    CONSTRAINT principal_role_has_oid CHECK (((kind = 'role'::text) = (role_oid IS NOT NULL)))
);

ALTER TABLE rag_internal.principal OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.principal IS 'Somebody who can be granted something: a database role (by name and oid), a user or a group of a tenant, or everybody.';

CREATE FUNCTION rag_internal.owner_name(owner rag_internal.principal) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case (owner).kind when 'role' then (owner).name
                else rag_internal.reader_name(owner) end
$$;

ALTER FUNCTION rag_internal.owner_name(owner rag_internal.principal) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.owner_name(owner rag_internal.principal) IS 'NAME of a role, user:NAME of a user.';

CREATE FUNCTION rag_internal.owns_collection(identity rag_internal.identity, collection rag_internal.collection) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select (identity).sees_everything
        or ((collection).owner_id = any ((identity).principal_ids)
            and (collection).tenant = (identity).tenant)
$$;

ALTER FUNCTION rag_internal.owns_collection(identity rag_internal.identity, collection rag_internal.collection) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.owns_collection(identity rag_internal.identity, collection rag_internal.collection) IS 'Whether the identity owns the collection in its tenant, or sees everything.';

CREATE FUNCTION rag_internal.owns_work(role_name name, role_oid oid, reader text, tenant text, identity rag_internal.identity) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT COALESCE(((identity).sees_everything OR ((tenant = (identity).tenant) AND (COALESCE(reader, ('role:'::text || (role_name)::text)) = (identity).reader) AND (((identity).reader ~~ 'user:%'::text) OR ((role_name = (identity).who) AND (role_oid = ((quote_ident(((identity).who)::text))::regrole)::oid))))), false) AS "coalesce";
END;

ALTER FUNCTION rag_internal.owns_work(role_name name, role_oid oid, reader text, tenant text, identity rag_internal.identity) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.owns_work(role_name name, role_oid oid, reader text, tenant text, identity rag_internal.identity) IS 'Whether the identity is who ran the work (reader null: the role), or sees everything.';

CREATE FUNCTION rag_internal.owns_job(job rag_internal.job, identity rag_internal.identity) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT rag_internal.owns_work((job).created_by, (job).role_oid, (job).reader, (job).tenant, identity) AS owns_work;
END;

ALTER FUNCTION rag_internal.owns_job(job rag_internal.job, identity rag_internal.identity) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.owns_job(job rag_internal.job, identity rag_internal.identity) IS 'Whether the identity asked for the job or sees everything.';

CREATE FUNCTION rag_internal.pack_terms(terms text[]) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT convert_to(
         CASE
             WHEN (cardinality(terms) = 0) THEN ''::text
             ELSE (array_to_string(terms, ''::text) || ''::text)
         END, 'UTF8'::name) AS convert_to;
END;

ALTER FUNCTION rag_internal.pack_terms(terms text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.pack_terms(terms text[]) IS 'UTF-8; byte 1 after each term, byte 2 at the end.';

CREATE FUNCTION rag_internal.parse_text(config text, folded text) RETURNS tsvector
    LANGUAGE sql STABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT rag_internal.lexemes_of(parse_text.config, COALESCE(rag_internal.ascii_words(p.part), rag_internal.indexable_words(rag_internal.word_stream(p.part))), NULL::text, NULL::text) AS lexemes_of
    FROM ( SELECT
                 CASE
                     WHEN (octet_length(parse_text.folded) > 100000) THEN rag_internal.fitting_part(parse_text.folded)
                     ELSE parse_text.folded
                 END AS part
          OFFSET 0) p;
END;

ALTER FUNCTION rag_internal.parse_text(config text, folded text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.parse_text(config text, folded text) IS 'to_tsvector of the word stream under a configuration by name, qualified where it is not in pg_catalog; an unknown one is 42704. Positions end at 16,383.';

CREATE FUNCTION rag_internal.parts_of(query text) RETURNS SETOF rag.query_part
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select p.*
    from rag_internal.query_parts(
        query, to_char(statement_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS.US')) p
$$;

ALTER FUNCTION rag_internal.parts_of(query text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.parts_of(query text) IS 'The parts of a query, with dates in the time zone of the session.';

CREATE FUNCTION rag_internal.passage_value(content text, heading text[], kind text) RETURNS real
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).passage_value(content, heading, kind)
$$;

ALTER FUNCTION rag_internal.passage_value(content text, heading text[], kind text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.passage_value(content text, heading text[], kind text) IS 'From 0 to 1: how likely the passage answers a question by itself.';

CREATE FUNCTION rag_internal.phrase_lexemes(phrase text, config text) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case when (numnode(rag_internal.phrase_query(phrase, config))) = 1
                -- as it is in the query, without its quotes
                then tsvector_to_array(
                    rag_internal.phrase_query(phrase, config)::text::tsvector)
                else array(
                    select min(t.lexeme)
                    from unnest(rag_internal.parse_text(config, rag_internal.fold_text(phrase))) t,
                         unnest(t.positions) p
                    group by p
                    -- a dictionary may know several lexemes for a word, any of which will do
                    having count(*) = 1) end
$$;

ALTER FUNCTION rag_internal.phrase_lexemes(phrase text, config text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.phrase_lexemes(phrase text, config text) IS 'Lexemes that stand alone at their position in the phrase.';

CREATE FUNCTION rag_internal.phrase_query(phrase text, config text) RETURNS tsquery
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select coalesce(
        -- c++ is not the c that its words are
        (select quote_literal(e.lexeme)::tsquery
         from unnest((rag_internal.compound_forms(rag_internal.fold_text(phrase)))[2]::tsvector) e
         where e.lexeme = rag_internal.fold_text(phrase)),
        (select string_agg(
                    coalesce('<' || p.place - p.previous || '> ', '') || p.lexemes, ' '
                    order by p.place)::tsquery
         from (select o.place, o.lexemes, lag(o.place) over (order by o.place) as previous
               from (select place,
                            '(' || string_agg('''' || replace(replace(l.lexeme, '\', '\\'), '''',
                                                              '''''') || '''', '|') || ')'
                                as lexemes
                     from unnest(rag_internal.parse_text(config,
                                                         rag_internal.fold_text(phrase))) l,
                          unnest(l.positions) place
                     group by place
                     order by place
                     limit 500) o) p))
$$;

ALTER FUNCTION rag_internal.phrase_query(phrase text, config text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.phrase_query(phrase text, config text) IS 'The tsquery of a phrase under a configuration by name, met by parse_text of a text; null where the configuration leaves nothing of it. The first 500 words count.';

CREATE FUNCTION rag_internal.plain_identity(who name) RETURNS rag_internal.identity
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select row(who, '', 0, false, '{}', 'database role', 'role:' || who,
               null, '{}')::rag_internal.identity
$$;

ALTER FUNCTION rag_internal.plain_identity(who name) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.plain_identity(who name) IS 'An identity that owns jobs, and may read nothing.';

CREATE FUNCTION rag_internal.prefix_form(prefix text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select translate(regexp_replace(rag_internal.fold_text(prefix), '^v([0-9]+[.])', '\1'), '-_''',
                     '')
$$;

ALTER FUNCTION rag_internal.prefix_form(prefix text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.prefix_form(prefix text) IS 'zk73 for ZK-73: what a word of the query before its * is looked up by.';

CREATE FUNCTION rag_internal.prepare_chunks(collection rag_internal.collection, document rag_internal.document, embed text) RETURNS rag_internal.prepared_chunk[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _model rag_internal.model;
    _chunks rag_internal.prepared_chunk[];
begin
    if (collection).model_id is not null then
        select m.* into _model from rag_internal.model m where m.model_id = (collection).model_id;
    end if;
    _chunks := array(
        select row(p, null, null, null)::rag_internal.prepared_chunk
        from rag_internal.split_text((document).content, (collection).strategy,
                                     (collection).chunk_size, (collection).overlap,
                                     (collection).min_chunk_size, _model, (document).source,
                                     (document).language, (document).mime) p
        order by p.chunk_index);
    return rag_internal.embed_chunks(_chunks, collection, _model, embed);
end
$$;

ALTER FUNCTION rag_internal.prepare_chunks(collection rag_internal.collection, document rag_internal.document, embed text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.prepare_chunks(collection rag_internal.collection, document rag_internal.document, embed text) IS 'Passages of a document; embed now: with their vectors under the collection''s model (see rag_internal.embed_chunks). Writes nothing.';

CREATE FUNCTION rag_internal.principal_for(reader text, tenant text) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _key rag_internal.principal := rag_internal.principal_key(reader, principal_for.tenant);
    _principal_id bigint;
begin
    if _key.kind = 'role' and _key.role_oid is null then
        raise exception using
            errcode = '42704',
            message = format('role "%s" does not exist', _key.name),
            hint    = 'A reader is role:NAME, NAME of a role, user:NAME, group:NAME or public.';
    end if;
    loop
        select p.principal_id into _principal_id
        from rag_internal.principal p
        where p.tenant = _key.tenant and p.kind = _key.kind and p.name = _key.name
          and p.role_oid is not distinct from _key.role_oid;
        exit when found;
        insert into rag_internal.principal (kind, name, role_oid, tenant)
        values (_key.kind, _key.name, _key.role_oid, _key.tenant)
        on conflict do nothing;
    end loop;
    return _principal_id;
end
$$;

ALTER FUNCTION rag_internal.principal_for(reader text, tenant text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.principal_for(reader text, tenant text) IS 'principal_id of a reader, registered at first use; users and groups are those of the tenant. 22023 for a malformed one, 42704 for an unknown role.';

CREATE FUNCTION rag_internal.principal_key(reader text, tenant text) RETURNS rag_internal.principal
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _key rag_internal.principal;
begin
    _key.kind := case when reader = 'public' then 'public'
                      else coalesce(substring(reader from '^(role|user|group):'), 'role') end;
    _key.name := case when reader = 'public' then 'public'
                      else regexp_replace(reader, '^(role|user|group):', '') end;
    if coalesce(_key.name, '') = '' or length(_key.name) > 200
       or rag_internal.is_blank(_key.name) then
        raise exception using
            errcode = '22023',
            message = format('"%s" does not name a reader', left(reader, 200)),
            hint    = 'A reader is role:NAME, NAME of a role, user:NAME, group:NAME or public.';
    end if;
    _key.tenant := case when _key.kind in ('user', 'group') then principal_key.tenant else '' end;
    if _key.kind = 'role' then
        _key.role_oid := (select r.oid from pg_roles r where r.rolname = _key.name);
    end if;
    return _key;
end
$$;

ALTER FUNCTION rag_internal.principal_key(reader text, tenant text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.principal_key(reader text, tenant text) IS 'kind, name, tenant and role_oid (null: no such role) of a reader; 22023 for a malformed one.';

CREATE FUNCTION rag_internal.principals_named(reader text, tenant text) RETURNS bigint[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _key rag_internal.principal := rag_internal.principal_key(reader, principals_named.tenant);
    _principal_ids bigint[] := array(
        select p.principal_id
        from rag_internal.principal p
        where p.tenant = _key.tenant and p.kind = _key.kind and p.name = _key.name);
begin
    -- a role that was never granted anything is known by name, or refused
    if _principal_ids = '{}' and _key.kind = 'role' then
        return array[rag_internal.principal_for(reader, principals_named.tenant)];
    end if;
    return _principal_ids;
end
$$;

ALTER FUNCTION rag_internal.principals_named(reader text, tenant text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.principals_named(reader text, tenant text) IS 'principal_id of everybody the reader has stood for, dropped roles too; 22023 and 42704 as rag_internal.principal_for.';

CREATE FUNCTION rag_internal.prune_words() RETURNS bigint
    LANGUAGE plpython3u
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).prune_words()
$$;

ALTER FUNCTION rag_internal.prune_words() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.prune_words() IS 'How many.';

CREATE FUNCTION rag_internal.purge_segment() RETURNS boolean
    LANGUAGE plpython3u
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).purge_segment()
$$;

ALTER FUNCTION rag_internal.purge_segment() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.purge_segment() IS 'False where there was none; then tombstones are swept, too.';

CREATE FUNCTION rag_internal.qualified_names(name text, owner rag_internal.principal, tenant text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select array[
        format('%s/%s', rag_internal.reader_name(owner), name),
        format('%s%s/%s', case when tenant <> '' then tenant || '/' end,
               rag_internal.reader_name(owner), name)]
$$;

ALTER FUNCTION rag_internal.qualified_names(name text, owner rag_internal.principal, tenant text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.qualified_names(name text, owner rag_internal.principal, tenant text) IS 'OWNER/NAME and TENANT/OWNER/NAME (as the first where there is no tenant).';

CREATE FUNCTION rag_internal.query_parts(query text, now text) RETURNS SETOF rag.query_part
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).query_parts(query, now)
$$;

ALTER FUNCTION rag_internal.query_parts(query text, now text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.query_parts(query text, now text) IS 'The parts of a query; now is local time in ISO 8601, which "yesterday" is counted from.';

CREATE FUNCTION rag_internal.question_condition(phrases text[], excluded text[], config text) RETURNS tsquery
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _condition tsquery;
    _part tsquery;
    _phrase text;
begin
    foreach _phrase in array phrases loop
        _part := rag_internal.phrase_query(_phrase, config);
        _condition := coalesce(_condition && _part, _part, _condition);
    end loop;
    foreach _phrase in array excluded loop
        _part := !! rag_internal.phrase_query(_phrase, config);
        _condition := coalesce(_condition && _part, _part, _condition);
    end loop;
    return _condition;
end
$$;

ALTER FUNCTION rag_internal.question_condition(phrases text[], excluded text[], config text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.question_condition(phrases text[], excluded text[], config text) IS 'The tsquery that a passage of that configuration must match; null where nothing is asked for.';

CREATE FUNCTION rag_internal.question_lexemes(question text, config text) RETURNS text[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select tsvector_to_array(
        rag_internal.analyze_folded(config, rag_internal.fold_text(question), false))
$$;

ALTER FUNCTION rag_internal.question_lexemes(question text, config text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.question_lexemes(question text, config text) IS 'Distinct lexemes of a question under a configuration by name; each is among those of rag.analyze of the same text.';

CREATE FUNCTION rag_internal.question_terms(query text) RETURNS bytea
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _question rag_internal.question := rag_internal.read_question(query);
begin
    if cardinality(_question.phrases || _question.excluded) > 0
       or _question.content <> btrim(regexp_replace(query, '\s+', ' ', 'g')) then
        return null;  -- signs say what words do not
    end if;
    return sha256(convert_to((
        select coalesce(string_agg(distinct w.word, ' ' order by w.word), '')
        from (select btrim(t, $s$.,;:!?()[]{}"'$s$) as word
              from regexp_split_to_table(query, '\s+') t) w
        where w.word ~ '[0-9_./\\@#:-]' or substr(w.word, 2) ~ '[[:upper:]]'
           or lower(w.word) in ('not', 'no', 'without', 'except', 'excluding', 'never', 'nor',
                                'none', 'cannot')
           or lower(w.word) ~ 'n[''\u2019]t$'), 'UTF8'));
end
$_$;

ALTER FUNCTION rag_internal.question_terms(query text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.question_terms(query text) IS 'A hash of the words with digits, signs or capitals within, and of negations; null for a question with phrases, exclusions or prefixes.';

CREATE FUNCTION rag_internal.question_vector(request rag_internal.search_request, scope rag_internal.scope) RETURNS public.vector
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _models rag_internal.model[] := array(
        select m from rag_internal.model m
        where m.model_id = any ((select rag_internal.seen_models(scope))::integer[]));
begin
    if cardinality(_models) <> 1 or _models[1].provider = 'external' then
        return null;
    end if;
    -- the semantic leg asks for the same one, which the session keeps
    return rag_internal.embed_query(
        (rag_internal.read_question((request).query)).content, _models[1],
        format('%s %s %s', ((scope).identity).who, ((scope).identity).tenant,
               ((scope).identity).reader));
exception when object_not_in_prerequisite_state then
    return null;  -- the leg says what is wrong
end
$$;

ALTER FUNCTION rag_internal.question_vector(request rag_internal.search_request, scope rag_internal.scope) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.question_vector(request rag_internal.search_request, scope rag_internal.scope) IS 'The unit vector of the query; null where there are several models, or one that cannot be asked.';

CREATE FUNCTION rag_internal.queue_embeddings(collection rag_internal.collection, document_id uuid, model_id integer, identity rag_internal.identity) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _job_id bigint;
begin
    with lacking as materialized (
        select w.model_id, w.provider, w.owner_id, c.chunk_id, d.acl_id, d.collection_id,
               rag_internal.embed_hash(w.revision, coalesce(c.embed_text, c.content)) as embed_hash
        from rag_internal.wanted_embedding w
        join rag_internal.document d using (document_id)
        join rag_internal.chunk c using (chunk_id)
        where w.collection_id = (collection).collection_id
          and (queue_embeddings.document_id is null or w.document_id = queue_embeddings.document_id)
          and (queue_embeddings.model_id is null or w.model_id = queue_embeddings.model_id)
          and not exists (select from rag_internal.embedding e
                          where e.model_id = w.model_id and e.chunk_id = w.chunk_id)
        for share of d, c skip locked
    ), copied as (
        insert into rag_internal.embedding as n (model_id, chunk_id, acl_id, collection_id,
                                                 embed_hash, v, full_v)
        select l.model_id, l.chunk_id, l.acl_id, l.collection_id, l.embed_hash, known.v,
               known.full_v
        from lacking l
        cross join lateral (
            select e.v, e.full_v
            from rag_internal.embedding e
            join rag_internal.collection k on k.collection_id = e.collection_id
            where e.model_id = l.model_id and e.embed_hash = l.embed_hash
              and k.owner_id = l.owner_id
            limit 1) known
        on conflict on constraint embedding_pkey do nothing
        returning n.model_id, n.chunk_id
    ), missing as materialized (
        select l.*
        from lacking l
        where not exists (select from copied c
                          where c.model_id = l.model_id and c.chunk_id = l.chunk_id)
          and not exists (select from rag_internal.embedding_task t
                          where t.model_id = l.model_id and t.chunk_id = l.chunk_id
                            and not t.is_dead)
    ), job as (
        insert into rag_internal.job (kind, collection_id, total, created_by, role_oid, reader,
                                      tenant)
        select 'embed', (collection).collection_id, s.total, (identity).who,
               quote_ident((identity).who)::regrole, (identity).reader, (identity).tenant
        from (select count(*) as total from missing m where m.provider <> 'external') s
        where s.total > 0
        returning job_id
    ), left_over as (
        -- what was given up in an earlier job is this one's now
        update rag_internal.job j set total = j.total - s.passages
        from (select t.job_id, count(*) as passages
              from missing m
              join rag_internal.embedding_task t
                on t.model_id = m.model_id and t.chunk_id = m.chunk_id
              where t.is_dead
              group by t.job_id) s
        where j.job_id = s.job_id
    ), queued as (
        insert into rag_internal.embedding_task as t (model_id, chunk_id, job_id, acl_id,
                                                      collection_id)
        select m.model_id, m.chunk_id, j.job_id, m.acl_id, m.collection_id
        from missing m left join job j on m.provider <> 'external'
        on conflict on constraint embedding_task_pkey do update
        set job_id = excluded.job_id, attempts = 0, run_after = excluded.run_after,
            is_dead = false, error = null, failed_at = null
        where t.is_dead
    )
    select j.job_id into _job_id from job j;
    return _job_id;
end
$$;

ALTER FUNCTION rag_internal.queue_embeddings(collection rag_internal.collection, document_id uuid, model_id integer, identity rag_internal.identity) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.queue_embeddings(collection rag_internal.collection, document_id uuid, model_id integer, identity rag_internal.identity) IS 'The job that embeds what lacks a vector, in one document or (null) in the whole collection; null where nothing does. model_id null: every model of the collection. What was given up before is tried again.';

CREATE FUNCTION rag_internal.ranking_scores(stage text, places bigint[], relevances integer[], wanted integer[]) RETURNS rag_internal.stage_score
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with gain as (
        select sum((2.0::float8 ^ f.relevance - 1) * ln(2) / ln(f.place + 1))
                   filter (where f.place <= 10) as found,
               min(f.place) filter (where f.place <= 10) as first,
               count(*) filter (where f.place <= 5) as within_5,
               count(*) filter (where f.place <= 20) as within_20,
               count(*) filter (where f.place <= 50) as within_50
        from unnest(places, relevances) f (place, relevance)
        where f.relevance > 0
    ), ideal as (
        select sum((2.0::float8 ^ i.relevance - 1) * ln(2) / ln(i.place + 1))
                   filter (where i.place <= 10) as found,
               count(*)::float8 as answers
        from (select w.relevance, row_number() over (order by w.relevance desc) as place
              from unnest(wanted) w (relevance)
              where w.relevance > 0) i
    )
    select row(ranking_scores.stage, coalesce(g.found / i.found, 0),
               coalesce(1 / g.first::float8, 0), g.within_5 / i.answers, g.within_20 / i.answers,
               g.within_50 / i.answers)::rag_internal.stage_score
    from gain g, ideal i
    where i.answers > 0
$$;

ALTER FUNCTION rag_internal.ranking_scores(stage text, places bigint[], relevances integer[], wanted integer[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.ranking_scores(stage text, places bigint[], relevances integer[], wanted integer[]) IS 'places and relevances: of what was found; wanted: the relevance of all that is judged, relevant being what is above 0; null where nothing is. nDCG@10 with gain 2^relevance - 1 (Burges et al., ICML 2005) and discount 1 / log2(place + 1) (Järvelin and Kekäläinen, ACM TOIS 2002); the reciprocal rank of the first answer within 10; the share of the answers within 5, 20 and 50.';

CREATE FUNCTION rag_internal.read_citation(citation text, OUT document_id uuid, OUT chunk_index integer, OUT document_hash text, OUT passage_hash text, OUT start_offset integer, OUT end_offset integer) RETURNS record
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _most constant bigint := 2147483647;
    _parts text[] := regexp_match(
        btrim(citation),
        '^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/([0-9]{1,10})'
        '@([0-9a-f]{16})(?:\.([0-9a-f]{16}))?:([0-9]{1,10})-([0-9]{1,10})$');
begin
    if _parts is null
       or greatest(_parts[2]::bigint, _parts[5]::bigint, _parts[6]::bigint) > _most
       or _parts[5]::bigint >= _parts[6]::bigint then
        raise exception using
            errcode = '22023',
            message = format('"%s" is no citation', left(citation, 200)),
            hint    = 'Give the citation of a hit, document/chunk@hash.hash:start-end.';
    end if;
    document_id := _parts[1];
    chunk_index := _parts[2];
    document_hash := _parts[3];
    passage_hash := _parts[4];
    start_offset := _parts[5];
    end_offset := _parts[6];
end
$_$;

ALTER FUNCTION rag_internal.read_citation(citation text, OUT document_id uuid, OUT chunk_index integer, OUT document_hash text, OUT passage_hash text, OUT start_offset integer, OUT end_offset integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.read_citation(citation text, OUT document_id uuid, OUT chunk_index integer, OUT document_hash text, OUT passage_hash text, OUT start_offset integer, OUT end_offset integer) IS 'What rag_internal.citation put together; passage_hash null in one of before 0006. Anything else is 22023.';

CREATE FUNCTION rag_internal.read_passages(search rag_internal.retrieval) RETURNS rag_internal.retrieval
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
declare
    _result rag_internal.retrieval := search;
    _page rag_internal.leg_hit[] := _result.ranking;
    _hits rag_internal.leg_hit[] := _result.leg_hits;
    _query text := _result.query;
    _highlight boolean := (_result.request).highlight;
    _expand text := (_result.request).expand;
    _is_lax boolean := (_result.request).include_archived or (_result.request).as_of is not null;
    _degraded text[] := nullif(_result.degraded, '{}');
    _corrected_query text := coalesce(
        nullif(_query, (_result.request).query),
        (select max(h.corrected_query) from unnest(_hits) h where h.leg = 'fuzzy'));
    _started timestamptz := clock_timestamp();
begin
    _result.hits := array(
        with leg as (
            select h.document_id, h.chunk_index,
                   min(h.rank) filter (where h.leg = 'semantic') as semantic_rank,
                   min(h.score) filter (where h.leg = 'semantic') as semantic_score,
                   min(h.rank) filter (where h.leg = 'bm25') as bm25_rank,
                   min(h.score) filter (where h.leg = 'bm25') as bm25_score,
                   min(h.rank) filter (where h.leg = 'fuzzy') as fuzzy_rank,
                   min(h.score) filter (where h.leg = 'fuzzy') as fuzzy_score,
                   min(h.score) filter (where h.leg = 'rerank') as rerank_score
            from unnest(_hits) h
            group by h.document_id, h.chunk_index
        )
        select row(p.rank, p.score, p.document_id, p.chunk_index, k.name, d.source, d.title,
               c.heading,
               c.content, m.marked, c.start_offset, c.end_offset, c.start_line, c.end_line,
               c.page, c.kind, d.metadata || c.metadata, l.semantic_rank, l.semantic_score,
               l.bm25_rank, l.bm25_score, l.fuzzy_rank, l.fuzzy_score, l.rerank_score,
               _corrected_query, _degraded,
               rag_internal.citation(d.document_id, c.chunk_index, d.content_hash, c.content,
                                     c.start_offset, c.end_offset),
               d.version, m.matches, e.content, e.start_offset, e.end_offset)::rag.hit
        from unnest(_page) p
        join leg l using (document_id, chunk_index)
        join rag_internal.chunk c using (document_id, chunk_index)
        join rag_internal.document d using (document_id)
        join rag_internal.collection k using (collection_id)
        -- asked for within, or they would be called all the same
        left join lateral (
            select f.* from rag_internal.marked_passage(
                c.content, c.start_offset, coalesce(_corrected_query, _query),
                d.text_config) f
            where _highlight) m on true
        left join lateral (
            select f.* from rag_internal.expand_passage(
                c.document_id, c.chunk_index, _expand) f
            where _expand <> 'chunk') e on true
        where d.acl_id in (
            select rag_internal.visible_acls(_result.identity, array(
                select e.acl_id
                from unnest(_page) r join rag_internal.document e using (document_id))))
          and (_is_lax or exists (select from rag_internal.live_chunk l
                                  where l.chunk_id = c.chunk_id))
        order by p.rank);
    _result.steps := _result.steps || rag_internal.search_step(
        'passages', null, null, cardinality(_result.hits), _started);
    return _result;
end
$$;

ALTER FUNCTION rag_internal.read_passages(search rag_internal.retrieval) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.read_passages(search rag_internal.retrieval) IS 'The search with its hits: the page of the ranking, with their rank and score in each leg, and corrected_query where the legs looked for something else than was asked. A passage that the identity does not see, or that is not live, is left out.';

CREATE FUNCTION rag_internal.read_question(query text) RETURNS rag_internal.question
    LANGUAGE plpython3u IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).read_question(query)
$$;

ALTER FUNCTION rag_internal.read_question(query text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.read_question(query text) IS 'Never fails: what is no syntax is plain text.';

CREATE FUNCTION rag_internal.readable_acls(who name, ticket bytea) RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
    select rag_internal.visible_acls(rag_internal.authenticate(who, ticket))
$$;

ALTER FUNCTION rag_internal.readable_acls(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.readable_acls(who name, ticket bytea) IS 'acl_id of each sharing class that the caller may read; used by policies.';

CREATE FUNCTION rag_internal.readable_collections(who name, ticket bytea) RETURNS TABLE(name text, owner text, description text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, created_at timestamp with time zone, updated_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    return query
        select k.name, rag_internal.owner_name(p), k.description, k.strategy, k.chunk_size,
               k.overlap, k.min_chunk_size, coalesce(m.name, 'none'), k.text_config,
               k.search_defaults,
               k.created_at, k.updated_at
        from rag_internal.visible_collections(_identity, null) k
        join rag_internal.principal p on p.principal_id = k.owner_id
        left join rag_internal.model m on m.model_id = k.model_id;
end
$$;

ALTER FUNCTION rag_internal.readable_collections(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.readable_collections(who name, ticket bytea) IS 'Rows of rag.collection.';

CREATE FUNCTION rag_internal.readable_dead_letters(who name, ticket bytea) RETURNS TABLE(job_id bigint, collection text, source text, document_id uuid, chunk_index integer, model text, attempts integer, error text, failed_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _redacted bigint[] := rag_internal.redacted_collections(_identity);
begin
    return query
        select t.job_id, k.name,
               case when d.collection_id = any (_redacted)
                    then rag_internal.redact_text(array[d.collection_id], d.source)
                    else d.source end, d.document_id, c.chunk_index, m.name,
               t.attempts::integer, t.error, t.failed_at
        from rag_internal.embedding_task t
        join rag_internal.job j using (job_id)
        join rag_internal.chunk c using (chunk_id)
        join rag_internal.document d using (document_id)
        join rag_internal.collection k on k.collection_id = d.collection_id
        join rag_internal.model m on m.model_id = t.model_id
        where t.is_dead and rag_internal.owns_job(j, _identity)
          and d.acl_id in (select rag_internal.visible_acls(_identity));
end
$$;

ALTER FUNCTION rag_internal.readable_dead_letters(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.readable_dead_letters(who name, ticket bytea) IS 'Rows of rag.dead_letter.';

CREATE FUNCTION rag_internal.readable_ingest_log(who name, ticket bytea) RETURNS TABLE(run_id uuid, logged_at timestamp with time zone, user_name name, collection text, source text, outcome text, document_id uuid, chunks integer, detail text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    return query
        select l.run_id, l.logged_at, l.user_name, l.collection, l.source, l.outcome,
               l.document_id, l.chunks, l.detail
        from rag_internal.ingest_log l
        where rag_internal.owns_work(l.user_name, l.role_oid, l.reader, l.tenant, _identity);
end
$$;

ALTER FUNCTION rag_internal.readable_ingest_log(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.readable_ingest_log(who name, ticket bytea) IS 'Rows of rag.ingest_log.';

CREATE FUNCTION rag_internal.readable_jobs(who name, ticket bytea) RETURNS TABLE(job_id bigint, kind text, collection text, status text, total integer, done integer, waiting integer, failed integer, error text, created_by name, created_at timestamp with time zone, finished_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    return query
        select j.job_id, j.kind, k.name,
               case when j.status in ('queued', 'running', 'failed') and s.open = 0
                    then case when s.dead > 0 then 'failed' else 'done' end
                    else j.status end,
               j.total, greatest(j.total - s.open - s.dead, 0), s.open, s.dead,
               coalesce(s.error, p.reason), j.created_by, j.created_at, j.finished_at
        from rag_internal.job j
        left join rag_internal.visible_collections(_identity, null) k using (collection_id)
        cross join lateral (
            select (count(*) filter (where not t.is_dead))::integer as open,
                   (count(*) filter (where t.is_dead))::integer as dead, max(t.error) as error
            from rag_internal.embedding_task t
            where t.job_id = j.job_id) s
        left join lateral (
            select max(n.reason) as reason
            from rag_internal.provider_pause n
            where s.open > 0 and n.until > clock_timestamp()
              and exists (select from rag_internal.embedding_task t
                          where t.job_id = j.job_id and t.model_id = n.model_id)) p on true
        where rag_internal.owns_job(j, _identity);
end
$$;

ALTER FUNCTION rag_internal.readable_jobs(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.readable_jobs(who name, ticket bytea) IS 'Rows of rag.job_status.';

CREATE FUNCTION rag_internal.readable_principals(who name, ticket bytea) RETURNS TABLE(kind text, name text, created_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    return query
        select p.kind, p.name::text, p.created_at
        from rag_internal.principal p
        where _identity.sees_everything
        union all
        select n.kind, n.name, null
        from rag_internal.identity_names(_identity) n
        where not _identity.sees_everything;
end
$$;

ALTER FUNCTION rag_internal.readable_principals(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.readable_principals(who name, ticket bytea) IS 'Rows of rag.principal.';

CREATE FUNCTION rag_internal.readable_search_log(who name, ticket bytea) RETURNS TABLE(searched_at timestamp with time zone, role_name name, identity text, tenant text, source text, strategy text, collections text[], query text, query_hash bytea, document_ids uuid[], chunk_indexes integer[], steps jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    SET standard_conforming_strings TO 'on'
    SET gin_fuzzy_search_limit TO '0'
    SET row_security TO 'on'
    AS $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    return query
        select l.searched_at, l.role_name, l.reader, l.tenant, l.source, l.strategy,
               l.collections, l.query, l.query_hash, l.document_ids, l.chunk_indexes, l.steps
        from rag_internal.search_log l
        where _identity.sees_everything;
end
$$;

ALTER FUNCTION rag_internal.readable_search_log(who name, ticket bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.readable_search_log(who name, ticket bytea) IS 'Rows of rag.search_log.';

CREATE FUNCTION rag_internal.reader_name(principal rag_internal.principal) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case (principal).kind when 'public' then 'public'
                else (principal).kind || ':' || (principal).name end
$$;

ALTER FUNCTION rag_internal.reader_name(principal rag_internal.principal) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.reader_name(principal rag_internal.principal) IS 'role:NAME, user:NAME, group:NAME or public.';

CREATE FUNCTION rag_internal.reader_set(principal_ids bigint[]) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select sha256(convert_to(array(select distinct p from unnest(principal_ids) p order by p)::text,
                             'UTF8'))
$$;

ALTER FUNCTION rag_internal.reader_set(principal_ids bigint[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.reader_set(principal_ids bigint[]) IS 'rag_internal.acl.reader_set: SHA-256 of the distinct principals in order.';

CREATE FUNCTION rag_internal.record_failures(claim_id uuid, model rag_internal.model, chunk_ids bigint[], contents text[], outcomes rag_internal.embedded_text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _attempts constant integer := 5;
    _fault rag_internal.embedded_text;
    _asked double precision;
begin
    update rag_internal.embedding_task t
    set claim_id = null,
        attempts = t.attempts - case when f.is_charged then 0 else 1 end,
        is_dead = f.is_charged and t.attempts >= _attempts,
        error = coalesce(f.error, t.error),
        failed_at = case when f.is_charged then clock_timestamp() else t.failed_at end,
        run_after = clock_timestamp()
                  + case when f.is_charged
                         then '5 seconds'::interval * 2 ^ (t.attempts - 1) * (0.5 + random())
                         -- somebody holds its document, perhaps for long
                         when f.is_held then '15 seconds'::interval * (0.5 + random())
                         else '0' end
    from (select g.model_id, g.chunk_id, o.error,
                 o.error is not null and not o.is_provider_fault as is_charged,
                 o.v is not null and i.content = coalesce(c.embed_text, c.content) as is_held
          from rag_internal.embedding_task g
          join rag_internal.chunk c using (chunk_id)
          join unnest(chunk_ids, contents) with ordinality i (chunk_id, content, number)
            on i.chunk_id = g.chunk_id
          left join unnest(outcomes) o on o.number = i.number
          where g.claim_id = record_failures.claim_id
          for update of g skip locked) f
    where t.model_id = f.model_id and t.chunk_id = f.chunk_id;

    select o.* into _fault
    from unnest(outcomes) o
    where o.is_provider_fault
    order by o.retry_after desc nulls last
    limit 1;
    if found then
        -- to wait for no time is not to be believed
        _asked := case when _fault.retry_after < 1 then 1 else _fault.retry_after end;
        insert into rag_internal.provider_pause as p (model_id, until, failures, reason)
        values ((model).model_id,
                clock_timestamp() + '1 second'::interval
                * coalesce(_asked, 5 * (0.5 + random())),
                1, _fault.error)
        on conflict (model_id) do update
        set failures = p.failures + 1, reason = excluded.reason,
            -- the wait that was asked for, else twice as long each time, up to five minutes
            until = clock_timestamp() + '1 second'::interval
                  * coalesce(_asked,
                             least(5 * 2 ^ least(p.failures, 6), 300) * (0.5 + random()))
        where p.until <= clock_timestamp() or _fault.retry_after is not null;
    end if;
end
$$;

ALTER FUNCTION rag_internal.record_failures(claim_id uuid, model rag_internal.model, chunk_ids bigint[], contents text[], outcomes rag_internal.embedded_text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.record_failures(claim_id uuid, model rag_internal.model, chunk_ids bigint[], contents text[], outcomes rag_internal.embedded_text[]) IS 'Gives back what a claim holds: text faults are charged (backoff 5 s doubling, jittered; dead after 5), a provider''s fault pauses its model and charges nothing.';

CREATE FUNCTION rag_internal.redact(rules rag_internal.redaction_rule[], input text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return rag_internal.cut_spans(input, rag_internal.redacted_spans(rules, input));
end
$$;

ALTER FUNCTION rag_internal.redact(rules rag_internal.redaction_rule[], input text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.redact(rules rag_internal.redaction_rule[], input text) IS 'The text with each match replaced.';

CREATE TABLE rag_internal.chunk (
    chunk_id bigint DEFAULT rag_internal.new_id() NOT NULL,
    document_id uuid NOT NULL,
    chunk_index integer NOT NULL,
    content text NOT NULL,
    embed_text text,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    start_line integer NOT NULL,
    end_line integer NOT NULL,
    page integer,
    heading text[] DEFAULT '{}'::text[] NOT NULL,
    section_start integer,
    section_end integer,
    kind text DEFAULT 'prose'::text NOT NULL,
    token_count integer,
    value real,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    tsv tsvector NOT NULL,
    words_skipped integer DEFAULT 0 NOT NULL,
    CONSTRAINT chunk_span_is_ordered CHECK (((0 <= start_offset) AND (start_offset < end_offset)))
);
ALTER TABLE ONLY rag_internal.chunk ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.chunk ALTER COLUMN embed_text SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.chunk ALTER COLUMN heading SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.chunk ALTER COLUMN metadata SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.chunk ALTER COLUMN tsv SET STATISTICS 0;

ALTER TABLE rag_internal.chunk OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.chunk IS 'A passage: content = substr(document.content, start_offset + 1, end_offset - start_offset). It is known to callers as (document_id, chunk_index).';

COMMENT ON COLUMN rag_internal.chunk.embed_text IS 'The text that was embedded, where it is not content itself.';

COMMENT ON COLUMN rag_internal.chunk.section_start IS 'Where the section that the heading path names begins, in characters; section_end is its end.';

COMMENT ON COLUMN rag_internal.chunk.kind IS 'What most of the passage is: prose, list, table, code, quote, html, data, clause, heading or front_matter.';

COMMENT ON COLUMN rag_internal.chunk.token_count IS 'Tokens of content by the collection''s model, without special tokens.';

COMMENT ON COLUMN rag_internal.chunk.value IS 'From 0 to 1: how likely the passage answers a question by itself (rag.predict_chunk_value).';

COMMENT ON COLUMN rag_internal.chunk.tsv IS 'Lexemes of rag.analyze: title (weight A), headings (weight B) and content.';

COMMENT ON COLUMN rag_internal.chunk.words_skipped IS 'Words that the lexical index leaves out: too long, or beyond the part that is analysed.';

CREATE FUNCTION rag_internal.redact_chunk(chunk rag_internal.chunk, redaction rag_internal.redaction) RETURNS rag_internal.chunk
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _chunk rag_internal.chunk := chunk;
begin
    _chunk.content := rag_internal.withhold(
        (redaction).rules,
        rag_internal.redact_passage(redaction, chunk.content, chunk.start_offset));
    -- rag.ingest_chunks takes any
    _chunk.kind := rag_internal.withhold(
        (redaction).rules, rag_internal.redact_label(redaction, chunk.kind));
    _chunk.heading := rag_internal.redact_labels(redaction, chunk.heading, true);
    _chunk.metadata := rag_internal.redact_json(redaction, chunk.metadata);
    -- made of the original
    _chunk.embed_text := null;
    _chunk.tsv := null;
    return _chunk;
end
$$;

ALTER FUNCTION rag_internal.redact_chunk(chunk rag_internal.chunk, redaction rag_internal.redaction) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.redact_chunk(chunk rag_internal.chunk, redaction rag_internal.redaction) IS 'The passage with all its texts redacted, and then checked once more; embed_text and tsv null.';

CREATE FUNCTION rag_internal.redact_document(document rag_internal.document) RETURNS rag_internal.document
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _document rag_internal.document := document;
    _redaction rag_internal.redaction := rag_internal.redaction_of(
        document, rag_internal.redaction_rules(array[document.collection_id]));
    _rules rag_internal.redaction_rule[] := _redaction.rules;
begin
    _document.content := rag_internal.withhold(_rules, _redaction.kept);
    _document.source := rag_internal.withhold(
        _rules, rag_internal.redact_label(_redaction, document.source));
    _document.version := rag_internal.withhold(
        _rules, rag_internal.redact_label(_redaction, document.version));
    _document.title := rag_internal.withhold(
        _rules, rag_internal.redact_label(_redaction, document.title));
    _document.mime := rag_internal.withhold(
        _rules, rag_internal.redact_label(_redaction, document.mime));
    _document.language := rag_internal.withhold(
        _rules, rag_internal.redact_label(_redaction, document.language));
    _document.tags := rag_internal.redact_labels(_redaction, document.tags);
    _document.metadata := rag_internal.redact_json(_redaction, document.metadata);
    _document.attributes := rag_internal.attributes(_document);
    -- a guess at a short secret could be checked by it
    _document.content_hash := null;
    return _document;
end
$$;

ALTER FUNCTION rag_internal.redact_document(document rag_internal.document) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.redact_document(document rag_internal.document) IS 'The document with all its texts redacted, and then checked once more; content_hash null.';

CREATE FUNCTION rag_internal.redact_hit(hit rag.hit, redaction rag_internal.redaction, content_hash bytea) RETURNS rag.hit
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _hit rag.hit := hit;
    _rules rag_internal.redaction_rule[] := (redaction).rules;
begin
    _hit.content := rag_internal.redact_passage(redaction, hit.content, hit.start_offset);
    _hit.expanded := rag_internal.redact_passage(redaction, hit.expanded, hit.expanded_start);
    _hit.source := rag_internal.redact_label(redaction, hit.source);
    _hit.version := rag_internal.redact_label(redaction, hit.version);
    _hit.title := rag_internal.redact_label(redaction, hit.title);
    _hit.kind := rag_internal.redact_label(redaction, hit.kind);
    _hit.heading := rag_internal.redact_labels(redaction, hit.heading, true);
    _hit.metadata := rag_internal.redact_json(redaction, hit.metadata);
    _hit.citation := rag_internal.citation(hit.document_id, hit.chunk_index, content_hash,
                                           hit.content, hit.start_offset, hit.end_offset, true);

    _hit.content := rag_internal.withhold(_rules, _hit.content);
    if _hit.content <> hit.content then
        -- marks within a match would hide it from the rules, and tell which of its words was asked
        _hit.highlight := null;
        _hit.matches := null;
    end if;
    _hit.expanded := rag_internal.withhold(_rules, _hit.expanded);
    _hit.source := rag_internal.withhold(_rules, _hit.source);
    _hit.version := rag_internal.withhold(_rules, _hit.version);
    _hit.title := rag_internal.withhold(_rules, _hit.title);
    _hit.kind := rag_internal.withhold(_rules, _hit.kind);
    return _hit;
end
$$;

ALTER FUNCTION rag_internal.redact_hit(hit rag.hit, redaction rag_internal.redaction, content_hash bytea) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.redact_hit(hit rag.hit, redaction rag_internal.redaction, content_hash bytea) IS 'The hit with all its texts redacted, and then checked once more.';

CREATE FUNCTION rag_internal.redact_hits(identity rag_internal.identity, hits rag.hit[], collection_ids bigint[] DEFAULT NULL::bigint[]) RETURNS rag.hit[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _redacted bigint[];
    _rules rag_internal.redaction_rule[];
    _hit rag.hit;
    _found record;
    _redaction rag_internal.redaction;
    _place integer;
    _shown rag.hit[] := '{}';
    _result rag.hit[] := '{}';
begin
    if (identity).sees_everything then
        return hits;
    end if;
    _redacted := rag_internal.redacted_collections(identity);
    if _redacted <> '{}' and exists (select from unnest(hits) h
                                     where h.corrected_query is not null)
       -- a word of any collection that was searched
       and exists (select from rag_internal.visible_collections(identity, null) k
                   where k.collection_id = any (_redacted)
                     and (redact_hits.collection_ids is null
                          or k.collection_id = any (redact_hits.collection_ids))) then
        for _place in 1 .. cardinality(hits) loop
            hits[_place].corrected_query := null;
        end loop;
    end if;
    if not exists (select from unnest(hits) h
                   left join rag_internal.document d using (document_id)
                   where d.document_id is null or d.collection_id = any (_redacted)) then
        return hits;
    end if;

    _rules := rag_internal.redaction_rules(_redacted);
    -- each document once; one that has gone meanwhile, maybe with its rules, has no hits any more
    for _found in
        select d as document, h.places
        from (select u.document_id, array_agg(u.ordinality::integer) as places
              from unnest(hits) with ordinality u
              group by u.document_id) h
        join rag_internal.document d using (document_id)
    loop
        if (_found.document).collection_id <> all (_redacted) then
            foreach _place in array _found.places loop
                _shown[_place] := hits[_place];
            end loop;
            continue;
        end if;
        _redaction := rag_internal.redaction_of(_found.document, _rules);
        foreach _place in array _found.places loop
            _hit := hits[_place];
            -- of a text that has changed meanwhile, nobody knows what to take out
            if _hit.content = substr((_found.document).content, _hit.start_offset + 1,
                                     _hit.end_offset - _hit.start_offset)
               and (_hit.expanded is null
                    or _hit.expanded = substr((_found.document).content, _hit.expanded_start + 1,
                                              _hit.expanded_end - _hit.expanded_start)) then
                _shown[_place] := rag_internal.redact_hit(_hit, _redaction,
                                                          (_found.document).content_hash);
            end if;
        end loop;
    end loop;

    foreach _hit in array _shown loop
        if not (_hit is null) then
            _result := array_append(_result, _hit);
        end if;
    end loop;
    return _result;
end
$$;

ALTER FUNCTION rag_internal.redact_hits(identity rag_internal.identity, hits rag.hit[], collection_ids bigint[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.redact_hits(identity rag_internal.identity, hits rag.hit[], collection_ids bigint[]) IS 'The hits as the identity may see them, in their order; collection_ids are those that were searched (null: all that it sees).';

CREATE FUNCTION rag_internal.redact_json(redaction rag_internal.redaction, input jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _result text;
begin
    select string_agg(
               case when t.value is null
                         or t.value = rag_internal.redact_label(redaction, t.value) then t.token
                    else to_jsonb(rag_internal.withhold(
                             (redaction).rules,
                             rag_internal.redact_label(redaction, t.value)))::text end,
               '' order by t.n)
    into _result
    from (select m.found[1] as token, m.n,
                 case when m.found[1] ~ '^["0-9-]' then m.found[1]::jsonb #>> '{}' end as value
          from regexp_matches(
                   input::text, '"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[^"0-9-]+', 'g')
               with ordinality m (found, n)) t;
    return case when exists (select from unnest((redaction).rules) r
                             where _result collate "default" ~ r.pattern)
                then '{}' else _result::jsonb end;
end
$$;

ALTER FUNCTION rag_internal.redact_json(redaction rag_internal.redaction, input jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.redact_json(redaction rag_internal.redaction, input jsonb) IS 'The document with its scalars and keys redacted; {} where a rule still matches in it as it is written.';

CREATE FUNCTION rag_internal.redact_label(redaction rag_internal.redaction, label text, is_quoted boolean DEFAULT false) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _result text := rag_internal.redact((redaction).rules, label);
    _letters text;
begin
    if (redaction).letters is not null then
        _letters := rag_internal.letters_of(_result);
        if length(_letters) > 3 and strpos((redaction).kept_letters, _letters) = 0
           and (is_quoted
                or strpos((redaction).letters, rag_internal.letters_of(label)) > 0) then
            return (redaction).rules[1].replacement;
        end if;
    end if;
    return _result;
end
$$;

ALTER FUNCTION rag_internal.redact_label(redaction rag_internal.redaction, label text, is_quoted boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.redact_label(redaction rag_internal.redaction, label text, is_quoted boolean) IS 'The label redacted; replaced as a whole where it stands in the document and what is left of it is not in the redacted document. is_quoted: it comes out of the document, so the former is taken for granted.';

CREATE FUNCTION rag_internal.redact_labels(redaction rag_internal.redaction, labels text[], is_quoted boolean DEFAULT false) RETURNS text[]
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return case when labels is not null then array(
        select rag_internal.withhold((redaction).rules,
                                     rag_internal.redact_label(redaction, l.label, is_quoted))
        from unnest(labels) with ordinality l (label, n)
        order by l.n) end;
end
$$;

ALTER FUNCTION rag_internal.redact_labels(redaction rag_internal.redaction, labels text[], is_quoted boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.redact_labels(redaction rag_internal.redaction, labels text[], is_quoted boolean) IS 'Each label as rag_internal.redact_label, checked twice.';

CREATE FUNCTION rag_internal.redact_passage(redaction rag_internal.redaction, content text, start_offset integer) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _length integer := length(content);
    _result text := '';
    _done integer := 0;
    _span rag_internal.redacted_span;
begin
    for _span in
        select s.* from unnest((redaction).spans) s
        where s.past > start_offset and s.first < start_offset + _length
        order by s.first
    loop
        _result := _result
                || substr(content, _done + 1, greatest(_span.first - start_offset, 0) - _done)
                || _span.replacement;
        _done := least(_span.past - start_offset, _length);
    end loop;
    -- what was no match in the document may be one where the passage is cut
    return rag_internal.redact((redaction).rules, _result || substr(content, _done + 1));
end
$$;

ALTER FUNCTION rag_internal.redact_passage(redaction rag_internal.redaction, content text, start_offset integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.redact_passage(redaction rag_internal.redaction, content text, start_offset integer) IS 'The content of a passage that begins at start_offset of the document, redacted.';

CREATE FUNCTION rag_internal.redact_text(collection_ids bigint[], input text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select rag_internal.withhold(r.rules, rag_internal.redact(r.rules, input))
    from (select rag_internal.redaction_rules(collection_ids) as rules) r
$$;

ALTER FUNCTION rag_internal.redact_text(collection_ids bigint[], input text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.redact_text(collection_ids bigint[], input text) IS 'The text by all rules of these collections (null: of all), checked twice.';

CREATE FUNCTION rag_internal.redacted_collections(identity rag_internal.identity) RETURNS bigint[]
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if (identity).sees_everything or not exists (select from rag_internal.redaction_rule) then
        return '{}';
    end if;
    return array(
        select k.collection_id
        from rag_internal.collection k
        where k.collection_id in (select r.collection_id from rag_internal.redaction_rule r)
          -- what is null is nobody's
          and (k.owner_id = any ((identity).principal_ids)
               and k.tenant = (identity).tenant) is not true
          and not exists (select from rag_internal.unredacted_reader u
                          where u.collection_id = k.collection_id
                            and u.principal_id = any ((identity).principal_ids)));
end
$$;

ALTER FUNCTION rag_internal.redacted_collections(identity rag_internal.identity) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.redacted_collections(identity rag_internal.identity) IS 'collection_id of each collection, visible or not, that the identity may read redacted only.';

CREATE FUNCTION rag_internal.redacted_spans(rules rag_internal.redaction_rule[], input text) RETURNS rag_internal.redacted_span[]
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _matching rag_internal.redaction_rule[];
    _marks text[];
begin
    _matching := array(
        select r from unnest(rules) r where input collate "default" ~ r.pattern);
    if _matching = '{}' then
        return '{}';
    end if;
    -- put around matches, so that one pass over a text finds all of them
    _marks := array(
        select chr(c) from generate_series(1, 31) c
        where c not between 9 and 13 and strpos(input, chr(c)) = 0
        limit 2);
    if cardinality(_marks) < 2 then
        return array[row(0, length(input), 0, octet_length(input),
                         _matching[1].replacement)::rag_internal.redacted_span];
    end if;

    return array(
        with piece as (
            select r.name, r.replacement, p.n, p.piece,
                   split_part(p.piece, _marks[2], 1) as matched
            from unnest(_matching) r
            cross join unnest(string_to_array(
                regexp_replace(input collate "default", r.pattern,
                               _marks[1] || '\&' || _marks[2], 'g'),
                _marks[1])) with ordinality p (piece, n)
        ), match as (
            -- all pieces but the first have a mark in them; these are where a piece begins
            select m.name, m.replacement, m.n, length(m.matched) as chars,
                   octet_length(m.matched) as bytes,
                   sum(length(m.piece) - (m.n > 1)::integer) over earlier as first,
                   sum(octet_length(m.piece) - (m.n > 1)::integer) over earlier as first_byte
            from piece m
            window earlier as (partition by m.name order by m.n
                               rows between unbounded preceding and 1 preceding)
        ), told_apart as (
            select m.*,
                   m.first > coalesce(max(m.first + m.chars) over (
                       order by m.first, m.chars desc, m.name
                       rows between unbounded preceding and 1 preceding), -1) as is_apart
            from match m
            where m.n > 1 and m.chars > 0
        ), numbered as (
            select m.*, count(*) filter (where m.is_apart) over (
                       order by m.first, m.chars desc, m.name) as span
            from told_apart m
        )
        select row(min(m.first), max(m.first + m.chars), min(m.first_byte),
                   max(m.first_byte + m.bytes),
                   (array_agg(m.replacement order by m.first, m.chars desc, m.name))[1]
               )::rag_internal.redacted_span
        from numbered m
        group by m.span
        order by min(m.first));
end
$$;

ALTER FUNCTION rag_internal.redacted_spans(rules rag_internal.redaction_rule[], input text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.redacted_spans(rules rag_internal.redaction_rule[], input text) IS 'Disjoint spans in order; the replacement of each is that of the rule whose match begins it. A text that holds nearly every control character is one span as a whole.';

CREATE FUNCTION rag_internal.redaction_of(document rag_internal.document, rules rag_internal.redaction_rule[]) RETURNS rag_internal.redaction
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _redaction rag_internal.redaction;
begin
    _redaction.rules := array(
        select r from unnest(rules) r where r.collection_id = (document).collection_id);
    _redaction.spans := rag_internal.redacted_spans(_redaction.rules, (document).content);
    _redaction.kept := rag_internal.cut_spans((document).content, _redaction.spans);
    if _redaction.spans <> '{}' then
        _redaction.letters := rag_internal.letters_of((document).content);
        _redaction.kept_letters := rag_internal.letters_of(_redaction.kept);
    end if;
    return _redaction;
end
$$;

ALTER FUNCTION rag_internal.redaction_of(document rag_internal.document, rules rag_internal.redaction_rule[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.redaction_of(document rag_internal.document, rules rag_internal.redaction_rule[]) IS 'Those of the rules that are of its collection, and what they replace in content.';

CREATE FUNCTION rag_internal.redaction_rules(collection_ids bigint[]) RETURNS rag_internal.redaction_rule[]
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select coalesce(array_agg(row(r.collection_id, r.name, r.detector,
                                  coalesce(r.pattern, rag_internal.detector_pattern(r.detector)),
                                  r.replacement, r.created_at)::rag_internal.redaction_rule
                              order by r.name, r.collection_id), '{}')
    from rag_internal.redaction_rule r
    where collection_ids is null or r.collection_id = any (collection_ids)
$$;

ALTER FUNCTION rag_internal.redaction_rules(collection_ids bigint[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.redaction_rules(collection_ids bigint[]) IS 'The rules of these collections (null: of all), in the order of their names; pattern is never null.';

CREATE FUNCTION rag_internal.reindex_document(document rag_internal.document, collection rag_internal.collection) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _text_config text := rag_internal.text_config_for((document).language,
                                                      (collection).text_config);
begin
    update rag_internal.chunk c
    set tsv = rag_internal.index_text((document).title, c.heading, c.content, _text_config,
                                      (collection).title_weight, (collection).heading_weight),
        words_skipped = rag_internal.words_skipped(c.content)
    where c.document_id = (document).document_id;
    -- a change of configuration indexes by itself
    update rag_internal.document d
    set text_config = _text_config,
        indexed_as = d.indexed_as || jsonb_build_object('text_config', _text_config)
    where d.document_id = (document).document_id
      and (d.text_config, d.indexed_as ->> 'text_config') is distinct from
          (_text_config, _text_config);
    if (document).text_config = _text_config then
        perform rag_internal.index_document((document).document_id);
    end if;
end
$$;

ALTER FUNCTION rag_internal.reindex_document(document rag_internal.document, collection rag_internal.collection) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.reindex_document(document rag_internal.document, collection rag_internal.collection) IS 'Computes the lexemes of a document''s passages anew, under its language or its collection''s configuration.';

CREATE FUNCTION rag_internal.removals(document_ids uuid[]) RETURNS SETOF rag.removal
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select 'document', d.document_id, k.name, d.source, d.version,
           (select count(*) from rag_internal.chunk c where c.document_id = d.document_id),
           (select count(*)
            from rag_internal.chunk c join rag_internal.embedding e using (chunk_id)
            where c.document_id = d.document_id),
           null::bigint
    from rag_internal.document d
    join rag_internal.collection k using (collection_id)
    where d.document_id = any (document_ids)
    order by k.name, d.source, d.version, d.document_id
$$;

ALTER FUNCTION rag_internal.removals(document_ids uuid[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.removals(document_ids uuid[]) IS 'A row of kind document for each of these, with its passages and vectors.';

CREATE FUNCTION rag_internal.repetitions(pattern text) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select coalesce(round(exp(sum(ln(b.bound)) filter (where b.is_of_group))), 1)
           * coalesce(max(b.bound) filter (where not b.is_of_group), 1)
    from (select greatest(coalesce(nullif(m[3], ''), m[2])::numeric, 1) as bound,
                 m[1] <> '' as is_of_group
          from regexp_matches(pattern, '(\)?)\{([0-9]{1,9})(?:,([0-9]{0,9}))?\}', 'g') m) b
$$;

ALTER FUNCTION rag_internal.repetitions(pattern text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.repetitions(pattern text) IS 'The product of the bounds of its groups, times the largest other bound.';

CREATE FUNCTION rag_internal.replace_document(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[], embed text, identity rag_internal.identity) RETURNS rag.ingested
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _new rag_internal.document := document;
    _old rag_internal.document;
    _chunks rag_internal.prepared_chunk[] := chunks;
    _job_id bigint;
begin
    select d.* into _old from rag_internal.document d
    where d.collection_id = _new.collection_id and d.source = _new.source
      and d.version = _new.version
    for update;
    if not found then
        raise exception using
            errcode = '40001',
            message = format('document "%s" was removed while it was ingested', _new.source),
            hint    = 'Ingest it again.';
    end if;

    _new.document_id := _old.document_id;
    _new.acl_id := coalesce(_new.acl_id, _old.acl_id);
    -- a nightly load must not bring back what somebody archived or let expire
    _new.status := _old.status;
    _new.valid_from := coalesce(_new.valid_from, _old.valid_from);
    _new.valid_until := coalesce(_new.valid_until, _old.valid_until);
    perform rag_internal.check_document(_new);
    _new.created_at := _old.created_at;
    _new.updated_at := _old.updated_at;
    _new.attributes := rag_internal.attributes(_new);
    if _new = _old then
        return rag_internal.ingested(_old, 'unchanged', 0, null, identity);
    end if;

    _new.updated_at := now();
    _new.attributes := rag_internal.attributes(_new);
    update rag_internal.document d
    set title = _new.title, content = _new.content, content_hash = _new.content_hash,
        mime = _new.mime, language = _new.language, text_config = _new.text_config,
        status = _new.status,
        valid_from = _new.valid_from, valid_until = _new.valid_until, tags = _new.tags,
        metadata = _new.metadata, attributes = _new.attributes, indexed_as = _new.indexed_as,
        acl_id = _new.acl_id, updated_at = _new.updated_at
    where d.document_id = _new.document_id;
    if _new.content_hash = _old.content_hash and _new.indexed_as = _old.indexed_as then
        return rag_internal.ingested(_new, 'updated', 0, null, identity);
    end if;
    _chunks := coalesce(chunks, rag_internal.prepare_chunks(collection, _new, embed));
    _job_id := rag_internal.write_chunks(_new, collection, _chunks, identity);
    return rag_internal.ingested(_new, 'updated', cardinality(_chunks), _job_id, identity);
end
$$;

ALTER FUNCTION rag_internal.replace_document(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[], embed text, identity rag_internal.identity) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.replace_document(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[], embed text, identity rag_internal.identity) IS 'updated or unchanged; the status stays, and where they are null so do readers and validity. 40001 where the document has just been removed.';

CREATE FUNCTION rag_internal.require_admin(identity rag_internal.identity, what text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not (identity).sees_everything then
        raise exception using
            errcode = '42501',
            message = format('only rag_admin may %s', what),
            hint    = 'Ask an administrator; select why from rag.whoami() tells how you are seen.';
    end if;
end
$$;

ALTER FUNCTION rag_internal.require_admin(identity rag_internal.identity, what text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.require_admin(identity rag_internal.identity, what text) IS '42501 for who does not see everything.';

CREATE FUNCTION rag_internal.require_read_committed(what text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        raise exception using
            errcode = '25001',
            message = format('%s works at isolation level read committed alone', what),
            hint    = 'Call it in a transaction of its own, begun at read committed.';
    end if;
end
$$;

ALTER FUNCTION rag_internal.require_read_committed(what text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.require_read_committed(what text) IS '25001 at repeatable read and serializable.';

CREATE FUNCTION rag_internal.require_visible_text(argument text, content text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if rag_internal.is_blank(content) then
        raise exception using
            errcode = '22023',
            message = case argument
                          when 'content' then 'content too small to chunk'
                          else format('%s has no visible character', argument) end,
            hint    = format('Give %s at least one visible character.', argument);
    end if;
end
$$;

ALTER FUNCTION rag_internal.require_visible_text(argument text, content text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.require_visible_text(argument text, content text) IS '22023 where content is null or made of white space, control and zero-width characters alone.';

CREATE FUNCTION rag_internal.rerank_hits(ranking rag_internal.leg_hit[], query text, hits rag_internal.leg_hit[], request rag_internal.search_request, block bigint, OUT ranked rag_internal.leg_hit[], OUT scores rag_internal.leg_hit[], OUT notes text[], OUT step rag.search_step, OUT is_open boolean) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _places bigint := (request).top_k::bigint + (request).skip;
    -- for variety a block has to be whole
    _wanted bigint := case when (request).mmr_lambda is null then _places
                           else (_places + block - 1) / block * block end;
    _first bigint := 1;
    _candidates rag_internal.leg_hit[];
    _texts text[];
    _scores double precision[];
    _message text;
    _hint text;
    _started timestamptz := clock_timestamp();
begin
    ranked := ranking;
    scores := '{}';
    notes := '{}';
    is_open := true;
    if exists (select from unnest(hits) h
               where h.leg = 'semantic' and h.rank = 1
                 and h.score >= (request).close_similarity) then
        step := rag_internal.search_step('rerank', 'skipped', 'a passage is very close by vector',
                                         0, _started);
        return;
    end if;
    begin
        ranked := '{}';
        while cardinality(ranked) < _wanted and _first <= cardinality(ranking) loop
            _candidates := ranking[_first : least(_first + block - 1, cardinality(ranking))];
            _texts := array(
                select c.content
                from unnest(_candidates) r
                join rag_internal.chunk c using (document_id, chunk_index)
                order by r.rank);
            _scores := rag_internal.rerank_passages(rerank_hits.query, _texts,
                                                    nullif((request).rerank, 'default'));
            scores := scores || array(
                select row('rerank', c.rank, s.score, c.document_id, c.chunk_index,
                           null)::rag_internal.leg_hit
                from unnest(_candidates) with ordinality c
                join unnest(_scores) with ordinality s (score, ordinality) using (ordinality));
            ranked := ranked || array(
                select row('rerank',
                           cardinality(ranked) + row_number() over (order by s.score desc, c.rank),
                           s.score, c.document_id, c.chunk_index, null)::rag_internal.leg_hit
                from unnest(_candidates) with ordinality c
                join unnest(_scores) with ordinality s (score, ordinality) using (ordinality)
                where coalesce(s.score >= (request).min_relevance, true)
                order by s.score desc, c.rank);
            _first := _first + block;
        end loop;
    exception when object_not_in_prerequisite_state then
        if not (request).rerank_optional then
            raise;
        end if;
        get stacked diagnostics _message = message_text, _hint = pg_exception_hint;
        _message := regexp_replace(_message, '^ragsql: ', '');
        ranked := ranking;
        scores := '{}';
        notes := array[format('rerank: %s', _message)
                       || case when num_nonnulls((request).gate, (request).min_relevance) > 0
                               then '; gate and min_relevance were not asked' else '' end];
        step := rag_internal.search_step('rerank', 'left out', _message, 0, _started);
        return;
    end;
    if (request).gate is not null then
        is_open := coalesce((select avg(abs(r.score)) >= (request).gate
                             from unnest(ranked[: (request).top_k]) r), false);
    end if;
    if not is_open then
        ranked := '{}';
    end if;
    step := rag_internal.search_step(
        'rerank', case when is_open then (request).rerank else 'abstained' end,
        format('%s read, %s kept', cardinality(scores), cardinality(ranked)),
        cardinality(scores), _started);
end
$$;

ALTER FUNCTION rag_internal.rerank_hits(ranking rag_internal.leg_hit[], query text, hits rag_internal.leg_hit[], request rag_internal.search_request, block bigint, OUT ranked rag_internal.leg_hit[], OUT scores rag_internal.leg_hit[], OUT notes text[], OUT step rag.search_step, OUT is_open boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.rerank_hits(ranking rag_internal.leg_hit[], query text, hits rag_internal.leg_hit[], request rag_internal.search_request, block bigint, OUT ranked rag_internal.leg_hit[], OUT scores rag_internal.leg_hit[], OUT notes text[], OUT step rag.search_step, OUT is_open boolean) IS 'The ranking in the order of the reranker, without what is below min_relevance: so many blocks of it as the page needs, each ordered by itself. scores: rerank_score of all that were read. is_open false: the mean of the first top_k is below gate, and nothing is left. Where the reranker cannot be asked, 55000, or the ranking as it was and a note where it is optional.';

CREATE FUNCTION rag_internal.rerank_passages(query text, passages text[], model text) RETURNS double precision[]
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select rag_internal.score_passages(query, passages, rag_internal.find_reranker(model))
$$;

ALTER FUNCTION rag_internal.rerank_passages(query text, passages text[], model text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.rerank_passages(query text, passages text[], model text) IS 'The probability that each passage is relevant to the query, in order of the passages. model null or default: the default reranker. 55000 where it is unknown, missing or fails.';

CREATE FUNCTION rag_internal.reranker_status(reranker rag_internal.reranker) RETURNS jsonb
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
import json
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return json.dumps(GD["ragsql"].require(6).reranker_status(reranker))
$$;

ALTER FUNCTION rag_internal.reranker_status(reranker rag_internal.reranker) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.reranker_status(reranker rag_internal.reranker) IS 'present, directory and detail, as rag_internal.model_status tells them of a model.';

CREATE FUNCTION rag_internal.resplit_document() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _collection rag_internal.collection;
    _chunks rag_internal.prepared_chunk[];
begin
    _collection := rag_internal.shared_collection(new.collection_id);
    _chunks := rag_internal.prepare_chunks(_collection, new, 'later');
    update rag_internal.document d
    set indexed_as = rag_internal.indexing_settings(_collection, new)
    where d.document_id = new.document_id;
    perform rag_internal.write_chunks(new, _collection, _chunks,
                                      rag_internal.plain_identity(current_user));
    return null;
end
$$;

ALTER FUNCTION rag_internal.resplit_document() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.resplit_document() IS 'Splits a changed text by the settings of its collection, and queues what has to be embedded.';

CREATE FUNCTION rag_internal.retrieve(identity rag_internal.identity, request rag_internal.search_request) RETURNS rag_internal.retrieval
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _result rag_internal.retrieval;
    _kept record;
    _started timestamptz := clock_timestamp();
begin
    perform rag_internal.check_search(request);
    _result.identity := identity;
    _result.scope := rag_internal.search_scope(identity, request);
    _result.collection_ids := (_result.scope).collection_ids;
    _result.request := rag_internal.completed_request(request, _result.scope);
    _result.strategy := (_result.request).strategy;
    _result.query := (request).query;
    _result.is_redacted := rag_internal.redacted_collections(identity) <> '{}';
    _result.steps := array[rag_internal.search_step('scope', null, null, null, _started)];

    -- kept answers would make transactions conflict that are serializable
    if (_result.request).cache is not null and not rag_internal.is_blank((request).query)
       and current_setting('transaction_isolation') <> 'serializable' then
        _started := clock_timestamp();
        _result.answer_key := rag_internal.answer_key(_result.request, _result.scope);
        _kept := rag_internal.cached_answer(_result.answer_key, _result.request, _result.scope);
        _result.steps := _result.steps || rag_internal.search_step(
            'cache', _kept.route, null, null, _started);
        if _kept.route <> 'miss' then
            _result.ranking := (_kept.answer).ranking;
            _result.leg_hits := (_kept.answer).leg_hits;
            _result.status := (_kept.answer).status;
            _result := rag_internal.read_passages(_result);
            -- what has gone, or is hidden now, or is no longer valid is missed
            if cardinality(_result.hits) = cardinality(_result.ranking) then
                _result.answer_key := null;
                return _result;
            end if;
            _result.status := null;
        end if;
    end if;

    _result := rag_internal.read_passages(rag_internal.find_passages(_result));
    if cardinality(_result.hits) = 0 and cardinality(_result.degraded) > 0 then
        -- there is no hit that could tell
        raise warning '%', array_to_string(_result.degraded, '; ');
    end if;
    _result.status := coalesce(
        _result.status,
        case when cardinality(_result.hits) > 0 then 'found'
             when (select s.passages from rag_internal.sight(_result.scope) s) = 0
             then 'nothing visible'
             when (request).skip > 0 and cardinality(_result.leg_hits) > 0 then 'past the end'
             else 'no match' end);
    return _result;
end
$$;

ALTER FUNCTION rag_internal.retrieve(identity rag_internal.identity, request rag_internal.search_request) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.retrieve(identity rag_internal.identity, request rag_internal.search_request) IS 'What rag.search finds, before redaction. status: found, no match, abstained (the gate is closed), past the end, nothing visible. answer_key: where the answer may be kept.';

CREATE FUNCTION rag_internal.retrieve_multi(identity rag_internal.identity, request rag_internal.search_request, max_hops integer, threshold double precision) RETURNS rag_internal.retrieval
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _result rag_internal.retrieval;
    _scope rag_internal.scope;
    _whole rag_internal.search_request;
    _request rag_internal.search_request;
    _strategy text;
    _part rag.query_part;
    _found record;
    _hits rag.hit[] := '{}';
    _weights double precision[] := '{}';
    _statuses text[] := '{}';
    _has_dates boolean := false;
    _started timestamptz;
begin
    perform rag_internal.check_search(request);
    if max_hops is null or max_hops not between 0 and 10 then
        raise exception using
            errcode = '22023',
            message = format('max_hops is %s, but must be from 0 to 10',
                             coalesce(max_hops::text, 'null'));
    elsif threshold = 'NaN' then
        raise exception using errcode = '22023', message = 'threshold is no number';
    end if;
    _scope := rag_internal.search_scope(identity, request);
    _whole := rag_internal.completed_request(request, _scope);
    -- what a collection says counts for parts that go to one leg, too
    _whole.rerank := coalesce(_whole.rerank, 'none');
    -- the answer to a question that is near says nothing about what else comes to mind
    _whole.cache := 'null';
    _strategy := coalesce((request).strategy,
                          rag_internal.search_defaults(_scope) ->> 'strategy');
    _result.identity := identity;
    _result.request := request;
    _result.strategy := 'multi';
    _result.collection_ids := _scope.collection_ids;
    _result.leg_hits := '{}';
    _result.is_redacted := rag_internal.redacted_collections(identity) <> '{}';
    _result.steps := '{}';

    for _part in select p.* from rag_internal.parts_of((request).query) p order by p.part loop
        _request := _whole;
        _request.query := _part.query;
        _request.strategy := coalesce(_strategy, _part.strategy);
        if _whole.rerank = 'none' then
            -- the first page does not depend on its size; to rerank more would be dear
            _request.top_k := greatest((request).top_k, 50);
        end if;
        _request.min_updated_at := greatest((request).min_updated_at, _part.min_updated_at);
        _has_dates := _has_dates
                   or num_nonnulls(_part.min_updated_at, _part.max_updated_at) > 0;
        _request.max_updated_at := least((request).max_updated_at, _part.max_updated_at);
        if _request.min_updated_at > _request.max_updated_at then
            _started := clock_timestamp();
            _result.steps := _result.steps || rag_internal.search_step(
                'part', 'left out', 'nothing lies between its dates and those given', 0, _started);
            continue;
        end if;
        _found := rag_internal.retrieve_part(
            identity, _request, format('%s: %s', _part.part, _part.reason), max_hops, threshold,
            _strategy is null);
        _hits := _hits || _found.hits;
        _weights := _weights || _found.weights;
        _statuses := _statuses || _found.status;
        _result.steps := _result.steps || _found.steps;
    end loop;

    _started := clock_timestamp();
    _result.hits := rag_internal.merge_hits(_hits, _weights, _whole);
    _result.steps := _result.steps || rag_internal.search_step(
        'merge', 'rrf', null, cardinality(_result.hits), _started);
    if cardinality(_result.hits) = 0 and _has_dates then
        raise warning 'nothing was updated within the dates that the question names'
            using hint = 'select * from rag.decompose_query(...) tells how it is understood.';
    end if;
    _result.status := case
        when cardinality(_result.hits) > 0 then 'found'
        when 'abstained' = any (_statuses) then 'abstained'
        when 'nothing visible' = any (_statuses) then 'nothing visible'
        else 'no match' end;
    return _result;
end
$$;

ALTER FUNCTION rag_internal.retrieve_multi(identity rag_internal.identity, request rag_internal.search_request, max_hops integer, threshold double precision) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.retrieve_multi(identity rag_internal.identity, request rag_internal.search_request, max_hops integer, threshold double precision) IS 'What rag.search_multi finds, before redaction; its steps are those of all searches. Dates in the query narrow those of the request.';

CREATE FUNCTION rag_internal.retrieve_part(identity rag_internal.identity, request rag_internal.search_request, why text, max_hops integer, threshold double precision, may_change boolean, OUT hits rag.hit[], OUT weights double precision[], OUT steps rag.search_step[], OUT status text) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _request rag_internal.search_request := request;
    _found rag_internal.retrieval;
    _hop integer := 0;
    _why text := retrieve_part.why;
    _terms text[];
    _started timestamptz;
begin
    hits := '{}';
    weights := '{}';
    steps := '{}';
    loop
        _started := clock_timestamp();
        _found := rag_internal.retrieve(identity, _request);
        hits := hits || _found.hits;
        -- what came to mind adds to what was asked, and does not outweigh it
        weights := weights || array_fill(case _hop when 0 then 1 else 0.1 end::float8,
                                         array[cardinality(_found.hits)]);
        steps := steps || rag_internal.search_step(
            case when _hop = 0 then 'part' else 'follow-up' end, _found.strategy, _why,
            cardinality(_found.hits), _started) || _found.steps;
        if _hop = 0 or cardinality(_found.hits) > 0 then
            status := _found.status;
        end if;
        exit when _hop >= max_hops
            or length(_request.query) > 5000
            or rag_internal.best_score(_found.hits) >= coalesce(
                retrieve_part.threshold,
                case when (_found.request).rerank is null then 0.35 else 0.5 end);

        -- of what the caller gets to see
        _terms := rag_internal.follow_up_terms(
            _request.query,
            array(select h.content
                  from unnest(rag_internal.redact_hits(identity, _found.hits[:5],
                                                       _found.collection_ids)) h
                  order by h.rank),
            5);
        exit when _terms = '{}' and not (may_change and _request.strategy <> 'hybrid');
        _hop := _hop + 1;
        _request.query := array_to_string(_request.query || _terms, ' ');
        _request.strategy := case when may_change then 'hybrid' else _request.strategy end;
        _why := format('below the threshold: %s',
                       coalesce(nullif(array_to_string(_terms, ' '), ''), 'by all legs'));
    end loop;
end
$$;

ALTER FUNCTION rag_internal.retrieve_part(identity rag_internal.identity, request rag_internal.search_request, why text, max_hops integer, threshold double precision, may_change boolean, OUT hits rag.hit[], OUT weights double precision[], OUT steps rag.search_step[], OUT status text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.retrieve_part(identity rag_internal.identity, request rag_internal.search_request, why text, max_hops integer, threshold double precision, may_change boolean, OUT hits rag.hit[], OUT weights double precision[], OUT steps rag.search_step[], OUT status text) IS 'The hits of a request, and of at most max_hops that add the names in what was found as long as the best score is below the threshold (null: 0.5 of rerank_score, else 0.35); may_change: these by all legs. weights: of the list of each hit. Not redacted.';

CREATE FUNCTION rag_internal.rewrite_table(name name) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _table text := format('rag_internal.%I', name);
    _index name;
    _made boolean := false;
    _workers text := current_setting('max_parallel_maintenance_workers');
begin
    -- whatever waits behind a lock that this one waits for, searches included, waits as long
    perform set_config('lock_timeout', '5s', true);
    execute format('lock table %s in access exclusive mode', _table);
    select c.relname into _index
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    join pg_am m on m.oid = c.relam
    where i.indrelid = _table::regclass and m.amname = 'btree' and i.indisvalid
      and i.indpred is null
    order by i.indisprimary desc, i.indexprs is null desc, c.relname
    limit 1;
    if not found then
        _made := true;
        _index := 'rewritten';
        execute format('create index %I on %s (%I)', _index, _table,
                       (select a.attname from pg_attribute a
                        where a.attrelid = _table::regclass and a.attnum > 0
                          and not a.attisdropped
                        order by a.attlen < 0, a.attnum
                        limit 1));
    end if;
    begin
        execute format('cluster %s using %I', _table, _index);
    exception when disk_full or out_of_memory then
        -- see rag_internal.build_vector_index
        if _workers::integer = 0 then
            raise;
        end if;
        perform set_config('max_parallel_maintenance_workers', '0', true);
        execute format('cluster %s using %I', _table, _index);
        perform set_config('max_parallel_maintenance_workers', _workers, true);
    end;
    execute format('alter table %s set without cluster', _table);
    if _made then
        execute format('drop index rag_internal.%I', _index);
    end if;
    execute format('analyze %s', _table);
exception when lock_not_available then
    raise exception using
        errcode = '55P03',
        message = format('table %s is in use: it could not be locked within 5 s', _table),
        detail  = (select 'Sessions that use it: '
                          || string_agg(distinct format('pid %s', l.pid), ', ') || '.'
                   from pg_locks l
                   where l.relation = _table::regclass and l.pid <> pg_backend_pid()),
        hint    = 'Let them end, then call rag.scrub() again: what is done is done, and doing it '
                  'again does no harm.';
end
$$;

ALTER FUNCTION rag_internal.rewrite_table(name name) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.rewrite_table(name name) IS 'Rewrites and analyses a table of rag_internal; 55P03 where somebody uses it for 5 s.';

CREATE FUNCTION rag_internal.role_identity(who name) RETURNS rag_internal.identity
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _identity rag_internal.identity;
    -- a login does not shed its rules by taking another role; the owner of a security definer
    -- function, who is reached otherwise, has its own
    _login name := case when rag_internal.is_session_role(who) then session_user end;
    _is_super boolean := exists (select from pg_roles r where r.rolname = who and r.rolsuper);
    _user text := nullif(current_setting('rag.user', true), '');
    _groups text := nullif(current_setting('rag.groups', true), '');
    _is_named boolean := _user is not null or _groups is not null;
    _tenants text[];
    _clearance smallint;
    _why text;
begin
    select coalesce(max(r.clearance) filter (where rag_internal.has_rule(who, r.name)), 0),
           array_agg(distinct r.tenant) filter (where r.tenant <> ''),
           case when bool_or(o.rolname is null)
                then 'a role with rules was made anew since: rag.configure_role says what is true '
                     'now'
                when bool_or(r.token_required)
                then 'the role asks with a token only, and there is none' end
    into _clearance, _tenants, _why
    from rag_internal.role_rule r
    left join pg_roles o on o.oid = r.role_oid and o.rolname = r.name
    where rag_internal.has_rule(who, r.name) or rag_internal.has_rule(_login, r.name);
    if who in ('rag_reader', 'rag_writer', 'rag_service') then
        _why := format('%s is nobody in particular: all who use ragsql can take it', who);
    elsif cardinality(_tenants) > 1 then
        _why := 'the role belongs to several tenants: ' || array_to_string(_tenants, ', ');
    end if;
    if _why is not null then
        return rag_internal.nobody(who, _why);
    end if;

    if pg_has_role(who, 'rag_service', 'usage') and (_is_named or not _is_super)
       or rag_internal.has_rule(_login, 'rag_service') then
        if _login is null then
            return rag_internal.nobody(who, 'a function of a trusted service, in the session of '
                                            'another role, which may have set rag.user');
        elsif not _is_named then
            return rag_internal.nobody(who, 'a trusted service that has set neither rag.user nor '
                                            'rag.groups');
        end if;
        return rag_internal.service_identity(who, coalesce(_tenants[1], ''), _user, _groups);
    end if;

    _identity.who := who;
    _identity.tenant := coalesce(_tenants[1], '');
    _identity.clearance := _clearance;
    _identity.source := 'database role';
    _identity.reader := 'role:' || who;
    _identity.sees_everything := pg_has_role(who, 'rag_admin', 'usage')
                              or pg_has_role(who, 'rag_owner', 'usage');
    _identity.why := case
        when _is_super then 'a superuser sees everything'
        when pg_has_role(who, 'rag_admin', 'usage')
        then 'has usage of rag_admin, which sees everything'
        when _identity.sees_everything then 'has usage of rag_owner, which sees everything'
        else 'current_user, and the roles it has usage of' end;
    _identity.principal_ids := array(
        select p.principal_id
        from rag_internal.principal p
        left join pg_roles r on r.oid = p.role_oid and r.rolname = p.name
        where p.kind = 'public'
           or (p.kind = 'role' and pg_has_role(who, r.oid, 'usage')));
    return _identity;
end
$$;

ALTER FUNCTION rag_internal.role_identity(who name) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.role_identity(who name) IS 'The identity of a role by itself: a trusted service is whom its settings name, and nobody without; else the role with all it has usage of. Superusers and rag_admin see everything.';

CREATE FUNCTION rag_internal.run_leg(leg text, query text, scope rag_internal.scope, depth bigint, max_distance integer) RETURNS rag_internal.leg_hit[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    scope.acl_ids := null;  -- the engine keeps its own
    if leg = 'bm25' then
        return array(select h from rag_internal.bm25_leg(run_leg.query, scope, depth) h);
    end if;
    return array(select h from rag_internal.fuzzy_leg(run_leg.query, scope, depth, max_distance) h);
end
$$;

ALTER FUNCTION rag_internal.run_leg(leg text, query text, scope rag_internal.scope, depth bigint, max_distance integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.run_leg(leg text, query text, scope rag_internal.scope, depth bigint, max_distance integer) IS 'The best passages of a lexical leg (bm25, fuzzy), at most depth of them, ranked from 1.';

CREATE FUNCTION rag_internal.run_legs(request rag_internal.search_request, query text, scope rag_internal.scope, depth bigint, OUT hits rag_internal.leg_hit[], OUT notes text[], OUT steps rag.search_step[], OUT is_cut boolean) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _legs text[] := rag_internal.legs_of(request);
    _leg text;
    _found rag_internal.leg_hit[];
    _steps rag.search_step[];
    _notes text[];
    _why text;
    _started timestamptz;
begin
    hits := '{}';
    notes := '{}';
    steps := '{}';
    is_cut := false;
    foreach _leg in array _legs loop
        _started := clock_timestamp();
        _notes := '{}';
        _why := case when _leg in ('semantic', 'hyde')
                     then rag_internal.lead_of_bm25(hits, request) end;
        if _why is not null then
            steps := steps || rag_internal.search_step(_leg, 'skipped', _why, 0, _started);
            continue;
        end if;
        begin
            if _leg in ('semantic', 'hyde') then
                -- collections that nobody named may be of those who share what cannot be asked
                select l.hits, l.notes, l.steps into _found, _notes, _steps
                from rag_internal.semantic_legs(
                    case _leg when 'semantic' then run_legs.query end,
                    case _leg when 'semantic' then (request).query_vector
                              else (request).hyde_vector end,
                    scope, depth,
                    (request).collections is null or coalesce((request).allow_degraded, false)) l;
            else
                _found := rag_internal.run_leg(_leg, run_legs.query, scope, depth,
                                               (request).max_distance);
                _steps := array[rag_internal.search_step(
                    _leg, 'postings', 'exact, over the passages that the caller sees',
                    cardinality(_found), _started)];
            end if;
        exception when object_not_in_prerequisite_state then
            if cardinality(_legs) = 1 or not rag_internal.can_do_without(_leg, request, scope) then
                raise;
            end if;
            _why := regexp_replace(sqlerrm, '^ragsql: ', '');
            notes := notes || format('%s: %s', _leg, _why);
            steps := steps || rag_internal.search_step(_leg, 'left out', _why, 0, _started);
            continue;
        end;
        if _steps = '{}' then
            _steps := array[rag_internal.search_step(
                _leg, 'none', 'the caller sees nothing that has a vector', 0, _started)];
        end if;
        is_cut := is_cut or cardinality(_found) >= depth;
        if (request).min_score is not null
           and (cardinality(_legs) = 1 or _leg in ('semantic', 'hyde')) then
            _found := array(select h from unnest(_found) h where h.score >= (request).min_score);
        end if;
        if _leg = 'hyde' then
            _found := array(select row('hyde', h.rank, h.score, h.document_id, h.chunk_index,
                                       h.corrected_query)::rag_internal.leg_hit
                            from unnest(_found) h);
        end if;
        hits := hits || _found;
        notes := notes || _notes;
        steps := steps || _steps;
    end loop;
end
$$;

ALTER FUNCTION rag_internal.run_legs(request rag_internal.search_request, query text, scope rag_internal.scope, depth bigint, OUT hits rag_internal.leg_hit[], OUT notes text[], OUT steps rag.search_step[], OUT is_cut boolean) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.run_legs(request rag_internal.search_request, query text, scope rag_internal.scope, depth bigint, OUT hits rag_internal.leg_hit[], OUT notes text[], OUT steps rag.search_step[], OUT is_cut boolean) IS 'The best passages of each leg, at most depth of them, ranked from 1. is_cut: a leg may have more. notes: what may be missing, for degraded.';

CREATE FUNCTION rag_internal.score_passages(query text, passages text[], reranker rag_internal.reranker) RETURNS double precision[]
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).rerank(query, passages, reranker)
$$;

ALTER FUNCTION rag_internal.score_passages(query text, passages text[], reranker rag_internal.reranker) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.score_passages(query text, passages text[], reranker rag_internal.reranker) IS 'The probability that each passage is relevant to the query, in order of the passages; 22023 for blank texts, 55000 where the reranker cannot be used.';

CREATE FUNCTION rag_internal.search_collections(identity rag_internal.identity, names text[]) RETURNS bigint[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _collections rag_internal.collection[];
    _is_restricted boolean := not (identity).sees_everything
        and exists (select from rag_internal.restricted_tenant r
                    where r.tenant = (identity).tenant);
begin
    perform rag_internal.check_sources(identity, names, 'search');
    if not _is_restricted then
        return array(
            select k.collection_id from rag_internal.visible_collections(identity, names) k);
    end if;
    _collections := array(
        select k
        from rag_internal.visible_collections(identity, names) k
        where names is not null
           or k.name in (select s.collection from rag_internal.allowed_source s
                         where s.tenant = (identity).tenant and s.may_search));
    perform rag_internal.check_sources(
        identity, array(select c.name from unnest(_collections) c), 'search', is_real => true);
    return array(select c.collection_id from unnest(_collections) c);
end
$$;

ALTER FUNCTION rag_internal.search_collections(identity rag_internal.identity, names text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.search_collections(identity rag_internal.identity, names text[]) IS 'collection_id of each; P0002 for one that is missing or hidden, 42501 for one that the tenant may not search.';

CREATE FUNCTION rag_internal.search_defaults(scope rag_internal.scope) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return (
        select case when count(distinct k.search_defaults) = 1
                    then (array_agg(k.search_defaults))[1]
                    else '{}' end
        from rag_internal.collection k
        where k.collection_id = any (
            (select s.collection_ids from rag_internal.sight(scope) s)::bigint[]));
end
$$;

ALTER FUNCTION rag_internal.search_defaults(scope rag_internal.scope) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.search_defaults(scope rag_internal.scope) IS 'search_defaults that all collections with a passage in scope have; empty where they differ.';

CREATE FUNCTION rag_internal.search_reach(request rag_internal.search_request, OUT block bigint, OUT reach bigint) RETURNS record
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _places bigint := (request).top_k::bigint + (request).skip;
begin
    block := case
        when (request).rerank is not null
        then greatest(coalesce((request).rerank_candidates, 4 * (request).top_k::bigint),
                      (request).top_k)
        when (request).mmr_lambda is not null then 100
        else 1 end;
    reach := (_places + block - 1) / block * block;
end
$$;

ALTER FUNCTION rag_internal.search_reach(request rag_internal.search_request, OUT block bigint, OUT reach bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.search_reach(request rag_internal.search_request, OUT block bigint, OUT reach bigint) IS 'block: how many passages are reranked, or ordered for variety, at a time, so that pages of one size are disjoint (4 top_k or rerank_candidates; 100). reach: the end of the block that the page ends in.';

CREATE FUNCTION rag_internal.search_scope(identity rag_internal.identity, request rag_internal.search_request) RETURNS rag_internal.scope
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _scope rag_internal.scope := rag_internal.lexical_scope(identity, (request).collections);
begin
    perform rag_internal.check_filter((request).filter, (request).filter_path, (request).vars);
    -- the legs of one search see one state of the index, and read it once
    _scope.search_id := rag_internal.new_id();
    _scope.filter := (request).filter;
    _scope.filter_path := (request).filter_path;
    _scope.vars := coalesce((request).vars, '{}');
    _scope.as_of := (request).as_of;
    _scope.include_archived := coalesce((request).include_archived, false);
    _scope.min_updated_at := (request).min_updated_at;
    _scope.max_updated_at := (request).max_updated_at;
    return _scope;
end
$$;

ALTER FUNCTION rag_internal.search_scope(identity rag_internal.identity, request rag_internal.search_request) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.search_scope(identity rag_internal.identity, request rag_internal.search_request) IS 'The scope of a search; P0002 where a collection is missing or hidden, 42501 where the tenant may not search it, 22023 for a filter that cannot be one.';

CREATE FUNCTION rag_internal.search_stages(identity rag_internal.identity, request rag_internal.search_request) RETURNS SETOF rag_internal.stage_hit
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _result rag_internal.retrieval := rag_internal.retrieve(identity, request);
    _request rag_internal.search_request := _result.request;
    _legs rag_internal.leg_hit[] := array(
        select h from unnest(_result.leg_hits) h where h.leg <> 'rerank');
    _depth bigint := rag_internal.leg_depth(greatest(
        (select max(h.rank) from unnest(_legs) h), rag_internal.first_depth(_request, 1)));
begin
    return query
        select case when h.leg = 'rerank' or _request.strategy = 'hybrid' then h.leg
                    else 'recall' end,
               row_number() over (partition by h.leg
                                  order by case h.leg when 'rerank' then -h.score end, h.rank),
               h.document_id, h.chunk_index
        from unnest(_result.leg_hits) h;
    return query
        select 'result', h.rank::bigint, h.document_id, h.chunk_index from unnest(_result.hits) h;
    if _request.strategy <> 'hybrid' then
        return;
    elsif _request.rerank is null and _request.mmr_lambda is null then
        return query
            select 'fusion', h.rank::bigint, h.document_id, h.chunk_index
            from unnest(_result.hits) h;
    else
        return query
            select 'fusion', h.rank::bigint, h.document_id, h.chunk_index
            from unnest(rag_internal.choose_candidates(
                     rag_internal.fuse(_legs, _request, _depth), _request)) h
            where h.rank <= _request.top_k;
    end if;
end
$$;

ALTER FUNCTION rag_internal.search_stages(identity rag_internal.identity, request rag_internal.search_request) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.search_stages(identity rag_internal.identity, request rag_internal.search_request) IS 'Of a hybrid each leg by its name and fusion; of a single leg recall; rerank, all that was read; result, what a search would return.';

CREATE FUNCTION rag_internal.search_step(step text, route text, why text, passages bigint, started timestamp with time zone) RETURNS rag.search_step
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return (
        select row(step, route, why, passages,
                   extract(epoch from clock_timestamp() - started) * 1000,
                   null, null, null, null, null, null)::rag.search_step);
end
$$;

ALTER FUNCTION rag_internal.search_step(step text, route text, why text, passages bigint, started timestamp with time zone) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.search_step(step text, route text, why text, passages bigint, started timestamp with time zone) IS 'The step with the milliseconds it took.';

CREATE FUNCTION rag_internal.seen_acls(scope rag_internal.scope) RETURNS bigint[]
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'iso'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).seen_acls(scope)
$$;

ALTER FUNCTION rag_internal.seen_acls(scope rag_internal.scope) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.seen_acls(scope rag_internal.scope) IS 'acl_id of each. scope.acl_ids is not asked.';

CREATE FUNCTION rag_internal.seen_leg_hits(statement text, scope rag_internal.scope, query_vector public.vector) RETURNS SETOF rag_internal.leg_hit
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'iso'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).leg_hits(statement, scope, query_vector)
$$;

ALTER FUNCTION rag_internal.seen_leg_hits(statement text, scope rag_internal.scope, query_vector public.vector) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.seen_leg_hits(statement text, scope rag_internal.scope, query_vector public.vector) IS 'Rows of the statement, whose $1 is the text of query_vector.';

CREATE FUNCTION rag_internal.seen_models(scope rag_internal.scope) RETURNS integer[]
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'iso'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).seen_models(scope)
$$;

ALTER FUNCTION rag_internal.seen_models(scope rag_internal.scope) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.seen_models(scope rag_internal.scope) IS 'model_id of each. scope.acl_ids is not asked.';

CREATE FUNCTION rag_internal.seen_name(scope rag_internal.scope) RETURNS bytea
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).seen_name(scope)
$$;

ALTER FUNCTION rag_internal.seen_name(scope rag_internal.scope) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.seen_name(scope rag_internal.scope) IS 'A hash of the classes and collections in which the caller sees passages of the scope.';

CREATE FUNCTION rag_internal.sees_waiting(scope rag_internal.scope, live text) RETURNS boolean
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'iso'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).sees_waiting(scope, live)
$$;

ALTER FUNCTION rag_internal.sees_waiting(scope rag_internal.scope, live text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.sees_waiting(scope rag_internal.scope, live text) IS 'Of those in scope.collection_ids (null: anywhere), among live, which is what rag_internal.live_passages gives. scope.acl_ids is not asked.';

CREATE FUNCTION rag_internal.semantic_leg(query_vector public.vector, model rag_internal.model, scope rag_internal.scope, conditions rag_internal.text_condition[], cut bigint, route text DEFAULT 'auto'::text, OUT hits rag_internal.leg_hit[], OUT step rag.search_step) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'on'
    SET enable_bitmapscan TO 'on'
    SET enable_sort TO 'on'
    SET enable_indexscan TO 'on'
    SET "hnsw.ef_search" TO '100'
    SET "hnsw.iterative_scan" TO 'strict_order'
    AS $_$
declare
    _exact_up_to constant bigint := 10000;
    _started timestamptz := clock_timestamp();
    _form record := rag_internal.vector_form(model);
    _reach bigint := case when (model).quantization = 'binary' then greatest(4 * cut, 200)
                          when _form.indexed <> _form.ranked then cut + 100
                          else cut end;
    _filters text := concat(
        case when (scope).filter is not null then ' and c.attributes @> $4' end,
        case when (scope).filter_path is not null
             -- in this order: a path can fail, or take long, on a row that is hidden
             then ' and case when c.acl_id = any ($2) and c.collection_id = any ($3) then '
                  'coalesce(jsonb_path_match(c.attributes, $5, $6, true), false) end' end,
        case when cardinality(conditions) > 0
             then ' and coalesce((select c.tsv @@ t.condition from unnest($7) t '
                  'where t.text_config = c.text_config), true)' end);
    _is_narrow boolean := _filters <> '' or coalesce(
        (scope).min_updated_at, (scope).max_updated_at) is not null;
    -- a condition wants a plan of its own; else what is seen stands in one that is kept
    _is_kept boolean := (scope).acl_ids is null and not _is_narrow and (scope).as_of is null
                        and route <> 'index';
    _mask text := case
        when _is_kept then 'e.acl_id = any ({acls}) and {collection} = any ({collections})'
        else 'e.acl_id = any ($2) and e.collection_id = any ($3)' end;
    _statements record := rag_internal.semantic_statements(
        model, cut, _reach, case when route = 'index' then 0 else _reach end,
        -- row by row: without an estimate, which takes long for many classes; and for one who sees
        -- everything the collection is enough to ask
        case when not _is_kept then _mask
             when ((scope).identity).sees_everything then '{collection} = any ({collections})'
             else 'coalesce(e.acl_id = any ({acls}) and {collection} = any ({collections}), false)'
        end,
        _mask, _filters,
        rag_internal.live_passages(
            scope,
            case when not _is_kept then '$2'
                 when not ((scope).identity).sees_everything then '{acls}' end,
            true));
    _statement text := _statements.exact;
begin
    if (scope).acl_ids is null then
        select s.passages, coalesce((scope).collection_ids, s.collection_ids)
        into step.passages, scope.collection_ids
        from rag_internal.sight(scope) s;
        if not _is_kept then
            scope.acl_ids := rag_internal.seen_acls(scope);
        end if;
    end if;
    if (_is_narrow or step.passages is null) and route = 'auto' and _statements.indexed is not null
       and coalesce(step.passages > _exact_up_to, true) then
        execute format('select count(*) from (select from rag_internal.embedding_%s e where %s%s '
                       'limit %s) s',
                       (model).model_id, _mask,
                       case when _is_narrow
                            then format(' and exists (select from %s c '
                                        'where c.chunk_id = e.chunk_id%s)',
                                        rag_internal.live_passages(scope, null, false),
                                        _filters) end,
                       _exact_up_to + 1)
        into step.passages
        using query_vector, (scope).acl_ids, (scope).collection_ids, (scope).filter,
              (scope).filter_path, (scope).vars, conditions;
    end if;

    step.step := 'semantic';
    step.route := 'exact';
    step.why := case when _statements.indexed is null then 'its vectors have no index'
                     when route <> 'auto' then 'asked for'
                     when _reach > _exact_up_to then 'so many hits are asked for'
                     when step.passages > _exact_up_to then 'more than 10,000 candidates'
                     else format('%s candidates, at most 10,000 are scanned exactly',
                                 to_char(step.passages, 'FM999,990')) end;
    if _statements.indexed is not null
       and (route = 'index'
            or route = 'auto' and _reach <= _exact_up_to and step.passages > _exact_up_to) then
        step.route := 'hnsw';
        _statement := _statements.indexed;
        -- as many as are wanted is too few to find nearly all of the ten nearest
        perform set_config('hnsw.ef_search',
                           least(greatest(_reach, 2 * cut, (model).hnsw_ef_search), 1000)::text,
                           true);
        if route = 'index' then
            perform set_config(s.name, 'off', true)
            from unnest('{enable_seqscan, enable_bitmapscan, enable_sort}'::text[]) s (name);
        end if;
    end if;
    loop
        if _is_kept then
            hits := array(
                select h from rag_internal.seen_leg_hits(_statement, scope, query_vector) h);
        else
            execute format('select array(select row(h.*)::rag_internal.leg_hit from (%s) h)',
                           _statement)
            into hits
            using query_vector, (scope).acl_ids, (scope).collection_ids, (scope).filter,
                  (scope).filter_path, (scope).vars, conditions;
        end if;
        exit when step.route <> 'hnsw' or route = 'index' or cardinality(hits) > 0;
        step.route := 'hnsw, topped up exactly';
        _statement := _statements.exact;
    end loop;
    step.milliseconds := extract(epoch from clock_timestamp() - _started) * 1000;
end
$_$;

ALTER FUNCTION rag_internal.semantic_leg(query_vector public.vector, model rag_internal.model, scope rag_internal.scope, conditions rag_internal.text_condition[], cut bigint, route text, OUT hits rag_internal.leg_hit[], OUT step rag.search_step) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.semantic_leg(query_vector public.vector, model rag_internal.model, scope rag_internal.scope, conditions rag_internal.text_condition[], cut bigint, route text, OUT hits rag_internal.leg_hit[], OUT step rag.search_step) IS 'At most cut passages by vector distance, their score rag.similarity. route auto: exact up to 10,000 candidates and where there is no index, approximate (HNSW) above, and always min(cut, candidates) rows; exact; or index, which gives what the index alone finds.';

CREATE FUNCTION rag_internal.semantic_legs(query text, query_vector public.vector, scope rag_internal.scope, cut bigint, is_forgiving boolean, OUT hits rag_internal.leg_hit[], OUT notes text[], OUT steps rag.search_step[]) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _model rag_internal.model;
    _of_model rag_internal.scope := scope;
    _question rag_internal.question;
    _asked rag_internal.model[];
    _unasked text[];
    _vector "public".vector;
    _conditions rag_internal.text_condition[] := '{}';
    _leg record;
    _step rag.search_step;
    _sight record := rag_internal.sight(scope);
    _has_answer boolean := false;
    _started timestamptz;
    _error text;
    _hint text;
begin
    hits := '{}';
    notes := '{}';
    steps := '{}';
    if not rag_internal.is_blank(semantic_legs.query) then
        _question := rag_internal.read_question(semantic_legs.query);
    end if;
    if query_vector is null and coalesce(_question.content, '') = '' then
        return;  -- exclusions alone have no meaning that could be near
    end if;
    if cardinality(_question.phrases || _question.excluded) > 0 then
        _conditions := array(
            select row(n.text_config,
                       rag_internal.question_condition(_question.phrases, _question.excluded,
                                                       n.text_config))
            from unnest(_sight.text_configs) n (text_config));
    end if;
    select s.asked, s.unasked into _asked, _unasked
    from rag_internal.semantic_models(
        scope, coalesce((scope).collection_ids, _sight.collection_ids),
        coalesce(_question.content, '') <> '', query_vector) s;
    foreach _model in array _asked loop
        _of_model.collection_ids := array(
            select k.collection_id from rag_internal.collection k
            where k.collection_id = any (_sight.collection_ids) and k.model_id = _model.model_id);
        if (scope).collection_ids is null and _of_model.collection_ids @> _sight.collection_ids then
            _of_model.collection_ids := null;
        end if;
        begin
            if _model.dimensions = "public".vector_dims(query_vector) then
                _vector := "public".l2_normalize(query_vector);
            else
                _started := clock_timestamp();
                _vector := rag_internal.embed_query(
                    _question.content, _model,
                    format('%s %s %s', (scope).identity.who, (scope).identity.tenant,
                           (scope).identity.reader));
                steps := steps || rag_internal.search_step('question', _model.provider, _model.name,
                                                           null, _started);
            end if;
            _leg := rag_internal.semantic_leg(_vector, _model, _of_model, _conditions,
                                              least(cut, 1000000000000));  -- room to add to it
            _step := _leg.step;
            _step.why := format('%s: %s', _model.name, _step.why);
            steps := steps || _step;
            hits := hits || _leg.hits;
            _has_answer := true;
        exception when object_not_in_prerequisite_state then
            if not is_forgiving then
                raise;
            end if;
            get stacked diagnostics _error = message_text, _hint = pg_exception_hint;
            _error := format('semantic: %s', regexp_replace(_error, '^ragsql: ', ''));
            notes := array_remove(notes, _error) || _error;
        end;
    end loop;
    if _error is not null and not _has_answer then
        raise exception using
            errcode = '55000', message = regexp_replace(_error, '^semantic: ', ''), hint = _hint;
    end if;
    hits := array(
        select row(h.leg,
                   (row_number() over (order by h.rank, h.document_id, h.chunk_index))::integer,
                   h.score, h.document_id, h.chunk_index, null::text)::rag_internal.leg_hit
        from unnest(hits) h
        order by h.rank, h.document_id, h.chunk_index
        limit cut);
    if rag_internal.lacks_vectors(scope) then
        notes := notes || 'semantic: some passages have no vector'::text;
    end if;
    if cardinality(_unasked) > 0 then
        notes := notes || format('semantic: needs query_vector for what has the model %s',
                                 array_to_string(_unasked, ', '));
    end if;
end
$$;

ALTER FUNCTION rag_internal.semantic_legs(query text, query_vector public.vector, scope rag_internal.scope, cut bigint, is_forgiving boolean, OUT hits rag_internal.leg_hit[], OUT notes text[], OUT steps rag.search_step[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.semantic_legs(query text, query_vector public.vector, scope rag_internal.scope, cut bigint, is_forgiving boolean, OUT hits rag_internal.leg_hit[], OUT notes text[], OUT steps rag.search_step[]) IS 'At most cut passages by meaning, each collection under the model that it is searched by; query_vector stands for the query under the model of its dimensions. notes: what may be missing. 55000 where a model cannot be asked; is_forgiving: only if no other one can.';

CREATE FUNCTION rag_internal.semantic_models(scope rag_internal.scope, collections bigint[], has_words boolean, query_vector public.vector, OUT asked rag_internal.model[], OUT unasked text[]) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _present rag_internal.model[];
    _fitting rag_internal.model[];
begin
    _present := array(
        select m from rag_internal.model m
        where m.model_id = any ((select rag_internal.seen_models(scope))::integer[])
        order by m.name);
    if cardinality(_present) = 0
       and not exists (select from rag_internal.collection k join rag_internal.model m
                         using (model_id)
                       where k.collection_id = any (collections))
       and cardinality(collections) > 0 then
        raise exception using
            errcode = '55000',
            message = 'no collection of this search has an embedding model',
            hint    = 'strategy => ''bm25'' or ''fuzzy'' needs none.';
    end if;

    _fitting := array(
        select m from unnest(_present) m
        where m.dimensions = "public".vector_dims(query_vector)
           or cardinality(_present) = 1);
    if query_vector is not null and cardinality(_present) > 0 and cardinality(_fitting) <> 1 then
        raise exception using
            errcode = '22023',
            message = format('query_vector has %s dimensions, but models of this search have: %s',
                             "public".vector_dims(query_vector),
                             (select string_agg(format('%s %s', m.name, m.dimensions), ', ')
                              from unnest(_present) m)),
            hint    = 'Name collections of the model that made the vector.';
    elsif query_vector is not null and cardinality(_present) > 0 then
        perform rag_internal.check_vector(
            query_vector, _fitting[1],
            format('query_vector for %s',
                   (select string_agg(format('"%s"', k.name), ', ' order by k.name)
                    from rag_internal.collection k
                    where k.collection_id = any (collections)
                      and k.model_id = _fitting[1].model_id)));
    end if;

    asked := array(
        select m from unnest(_present) m
        where m.dimensions = "public".vector_dims(query_vector)
           or (has_words and m.provider <> 'external'));
    unasked := array(
        select m.name from unnest(_present) m
        where m.name <> all (array(select a.name from unnest(asked) a)));
    if cardinality(asked) = 0 and cardinality(unasked) > 0 then
        raise exception using
            errcode = '55000',
            message = format('the vectors of model "%s" come with the calls, and so must that of '
                             'the query', unasked[1]),
            hint    = 'Give query_vector, or leave the semantic leg out: strategy => ''bm25''.';
    end if;
end
$$;

ALTER FUNCTION rag_internal.semantic_models(scope rag_internal.scope, collections bigint[], has_words boolean, query_vector public.vector, OUT asked rag_internal.model[], OUT unasked text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.semantic_models(scope rag_internal.scope, collections bigint[], has_words boolean, query_vector public.vector, OUT asked rag_internal.model[], OUT unasked text[]) IS 'Models that a search of these collections, those of the scope, asks, and the names of those that it cannot ask. 22023 for a query vector that is of none or of several, 55000 where no model can be asked.';

CREATE FUNCTION rag_internal.semantic_statements(model rag_internal.model, cut bigint, reach bigint, enough bigint, mask text, exact_mask text, filters text, live text, OUT indexed text, OUT exact text) RETURNS record
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _form record := rag_internal.vector_form(model);
    -- the question is cast once, not for each vector
    _distance text := format('%s %s (select %s)', format(_form.ranked, 'e.' || _form.stored_in),
                             _form.ranked_by, format(_form.ranked, '$1'));
    _embedding text := format('rag_internal.embedding_%s', (model).model_id);
    _ranked text := format(
        'select ''semantic'' as leg, '
        '(row_number() over (order by n.distance, n.document_id, n.chunk_index))::integer as rank, '
        'rag.similarity(n.distance, %L) as score, n.document_id, n.chunk_index, '
        'null::text as corrected_query from %%s n order by 2 limit %s', (model).metric, cut);
begin
    if _form.indexed is not null then
        indexed := format(
            'with nearest as materialized (select e.chunk_id, %1$s as distance '
            'from (select e.chunk_id, e.%2$s from %3$s e where %4$s and exists '
            '(select from %12$s c where c.chunk_id = e.chunk_id%5$s) '
            'order by %6$s %7$s (select %8$s) limit %9$s) e), '
            'enough as materialized (select from nearest having count(*) >= %10$s) %11$s',
            _distance, _form.stored_in, _embedding, mask, filters,
            format(_form.indexed, 'e.' || _form.stored_in), _form.indexed_by,
            format(_form.indexed, '$1'), reach, enough,
            format(_ranked, '(select n.distance, c.document_id, c.chunk_index '
                            'from nearest n join rag_internal.chunk c using (chunk_id) '
                            'where exists (select from enough))'),
            live);
    end if;
    if filters <> '' then
        exact := format(
            'with nearest as materialized (select c.document_id, c.chunk_index, %s as distance '
            'from %s e join %s c using (chunk_id) where %s%s) %s',
            _distance, _embedding, live, exact_mask, filters, format(_ranked, 'nearest'));
        return;
    end if;
    -- most passages are live: only the nearest are asked, and all where that leaves too few
    exact := format(
        'with candidate as materialized '
        '(select e.chunk_id, %1$s as distance from %2$s e where %3$s), '
        'nearest as materialized (select n.* from candidate n order by n.distance '
        'fetch first %4$s rows with ties), '
        'live as materialized (select n.distance, c.document_id, c.chunk_index '
        'from nearest n join %7$s c using (chunk_id)), '
        'short as materialized (select where (select count(*) from live) < %5$s '
        'and (select count(*) from nearest) < (select count(*) from candidate)) %6$s',
        _distance, _embedding, exact_mask,
        case live when 'rag_internal.live_chunk' then cut + least(cut, 100) else 4 * cut end, cut,
        format(_ranked,
               format('(select * from live where not exists (select from short) union all '
                      'select n.distance, c.document_id, c.chunk_index from candidate n '
                      'join %s c using (chunk_id) where exists (select from short))', live)),
        live);
end
$_$;

ALTER FUNCTION rag_internal.semantic_statements(model rag_internal.model, cut bigint, reach bigint, enough bigint, mask text, exact_mask text, filters text, live text, OUT indexed text, OUT exact text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.semantic_statements(model rag_internal.model, cut bigint, reach bigint, enough bigint, mask text, exact_mask text, filters text, live text, OUT indexed text, OUT exact text) IS 'Queries for rows of rag_internal.leg_hit. indexed: by the vector index among reach vectors, no row where it finds fewer than enough; null where there is no index. exact: over all vectors in the mask. filters: conditions on c, rows of live, that begin with "and".';

CREATE FUNCTION rag_internal.service_identity(who name, own_tenant text, user_name text, groups text) RETURNS rag_internal.identity
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _identity rag_internal.identity;
    _tenant text := coalesce(nullif(current_setting('rag.tenant', true), ''), own_tenant);
    _clearance text := coalesce(nullif(current_setting('rag.clearance', true), ''), '0');
    _problem text;
    _hint text;
begin
    begin
        _identity.groups := case when groups like '{%' then groups::text[]
                                 else array(select btrim(g)
                                            from unnest(string_to_array(groups, ',')) g
                                            where btrim(g) <> '') end;
    exception when invalid_text_representation then
        _problem := 'the setting rag.groups is no list of groups';
        _hint := 'set local rag.groups = ''support, sales'';  -- or an array: {support,sales}';
    end;
    if _clearance !~ '^\d{1,5}$' or _clearance::integer > 32767 then
        _problem := 'the setting rag.clearance is no number from 0 to 32767';
        _hint := 'set local rag.clearance = ''2'';';
    elsif own_tenant <> '' and _tenant <> own_tenant then
        _problem := 'the setting rag.tenant names another tenant than that of the service';
        _hint := 'Leave it out, or ask an administrator: rag.configure_role(...).';
    elsif exists (select from unnest(_identity.groups || user_name || _tenant) n (name)
                  where length(n.name) > 200
                     or n.name ~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]') then
        _problem := 'a setting of rag.user, rag.groups and rag.tenant is no name';
        _hint := 'A name has at most 200 characters, and none that controls how text is shown.';
    end if;
    if _problem is not null then
        raise exception using errcode = '28000', message = _problem, hint = _hint;
    end if;

    _identity.who := who;
    _identity.tenant := _tenant;
    _identity.clearance := _clearance::smallint;
    _identity.sees_everything := false;
    _identity.source := 'trusted service';
    _identity.reader := 'user:' || user_name;
    _identity.why := format('%s has usage of rag_service and asks for %s', who,
                            coalesce('user ' || user_name, 'groups alone'));
    _identity.principal_ids := rag_internal.user_principals(user_name, _identity.groups, _tenant);
    return _identity;
end
$_$;

ALTER FUNCTION rag_internal.service_identity(who name, own_tenant text, user_name text, groups text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.service_identity(who name, own_tenant text, user_name text, groups text) IS 'The identity of rag.user and rag.groups (names with commas between them, or an array), with rag.tenant (empty: own_tenant) and rag.clearance; 28000 for values that are none.';

CREATE FUNCTION rag_internal.set_collection_readers(collection rag_internal.collection, readers text[], security_level integer) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _principal_ids bigint[];
    _changed boolean := false;
begin
    if readers is not null then
        _principal_ids := (collection).owner_id
                       || rag_internal.grantees(readers, (collection).tenant, true);
        delete from rag_internal.acl_reader ar
        where ar.acl_id = (collection).acl_id and ar.principal_id <> all (_principal_ids);
        _changed := found;
        insert into rag_internal.acl_reader (principal_id, acl_id)
        select distinct p, (collection).acl_id from unnest(_principal_ids) p
        on conflict do nothing;
        _changed := _changed or found;
    end if;
    update rag_internal.acl a
    set security_level = set_collection_readers.security_level
    where a.acl_id = (collection).acl_id
      and a.security_level <> set_collection_readers.security_level;
    _changed := _changed or found;
    perform rag_internal.touch_collection((collection).collection_id) where _changed;
    return _changed;
end
$$;

ALTER FUNCTION rag_internal.set_collection_readers(collection rag_internal.collection, readers text[], security_level integer) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.set_collection_readers(collection rag_internal.collection, readers text[], security_level integer) IS 'Whether that changed something; null leaves readers or level as they are.';

CREATE FUNCTION rag_internal.shared_collection(collection_id bigint) RETURNS rag_internal.collection
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _collection rag_internal.collection;
begin
    for _try in 1 .. 40 loop
        begin
            select k.* into _collection from rag_internal.collection k
            where k.collection_id = shared_collection.collection_id
            for share nowait;
            return _collection;
        exception when lock_not_available then
            perform pg_sleep(0.05);
        end;
    end loop;
    raise exception using
        errcode = '55P03',
        message = 'the collection of this document is being changed by another session',
        hint    = 'Try again.';
end
$$;

ALTER FUNCTION rag_internal.shared_collection(collection_id bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.shared_collection(collection_id bigint) IS 'The row of a collection, locked for share; 55P03 where another session holds it for two seconds.';

CREATE FUNCTION rag_internal.shown_name(principal rag_internal.principal) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select rag_internal.reader_name(principal)
        || case when (principal).kind = 'role'
                     and not exists (select from pg_roles r
                                     where r.oid = (principal).role_oid
                                       and r.rolname = (principal).name)
                then ' (gone)' else '' end
$$;

ALTER FUNCTION rag_internal.shown_name(principal rag_internal.principal) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.shown_name(principal rag_internal.principal) IS 'rag_internal.reader_name, and (gone) for a role that no longer exists.';

CREATE FUNCTION rag_internal.shown_source(document rag_internal.document, rules rag_internal.redaction_rule[]) RETURNS text
    LANGUAGE sql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case when r.redaction is null then (document).source
                else rag_internal.withhold(
                    (r.redaction).rules,
                    rag_internal.redact_label(r.redaction, (document).source)) end
    from (select case when exists (select from unnest(rules) u
                                   where u.collection_id = (document).collection_id)
                      then rag_internal.redaction_of(document, rules) end as redaction) r
$$;

ALTER FUNCTION rag_internal.shown_source(document rag_internal.document, rules rag_internal.redaction_rule[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.shown_source(document rag_internal.document, rules rag_internal.redaction_rule[]) IS 'Redacted by those of the rules that are of its collection.';

CREATE FUNCTION rag_internal.sight(scope rag_internal.scope, OUT passages bigint, OUT collection_ids bigint[], OUT text_configs text[]) RETURNS record
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'iso'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).sight(scope)
$$;

ALTER FUNCTION rag_internal.sight(scope rag_internal.scope, OUT passages bigint, OUT collection_ids bigint[], OUT text_configs text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.sight(scope rag_internal.scope, OUT passages bigint, OUT collection_ids bigint[], OUT text_configs text[]) IS 'Passages that the caller sees in scope.collection_ids (null: anywhere), the collections that they lie in and their text configurations. scope.acl_ids is not asked.';

CREATE FUNCTION rag_internal.split_text(content text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model rag_internal.model, source text, language text, mime text) RETURNS SETOF rag.text_chunk
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).chunk(content, strategy, chunk_size, overlap, min_chunk_size, model,
                                     source, language, mime)
$$;

ALTER FUNCTION rag_internal.split_text(content text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model rag_internal.model, source text, language text, mime text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.split_text(content text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model rag_internal.model, source text, language text, mime text) IS 'Passages of a text; every passage fits the window of the model, where one is given. source, language and mime (null: not known) say what the text is.';

CREATE FUNCTION rag_internal.store_document(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[], embed text, identity rag_internal.identity) RETURNS rag.ingested
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _new rag_internal.document := document;
    _old rag_internal.document;
    _chunks rag_internal.prepared_chunk[] := chunks;
begin
    select d.* into _old from rag_internal.document d
    where d.collection_id = _new.collection_id and d.source = _new.source
      and d.version = _new.version;
    if _old.content_hash is distinct from _new.content_hash
       or _old.indexed_as is distinct from _new.indexed_as then
        _chunks := coalesce(chunks, rag_internal.prepare_chunks(collection, _new, embed));
    elsif embed = 'now' then
        perform rag_internal.embed_waiting(_old, collection);
    end if;

    if _old.document_id is null then
        _new.document_id := gen_random_uuid();
        _new.acl_id := coalesce(_new.acl_id, (collection).acl_id);
        _new.created_at := now();
        _new.updated_at := now();
        _new.attributes := rag_internal.attributes(_new);
        insert into rag_internal.document select (_new).*
        on conflict on constraint document_key do nothing;
        if found then
            return rag_internal.ingested(
                _new, 'created', cardinality(_chunks),
                rag_internal.write_chunks(_new, collection, _chunks, identity), identity);
        end if;
    end if;
    return rag_internal.replace_document(document, collection, _chunks, embed, identity);
end
$$;

ALTER FUNCTION rag_internal.store_document(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[], embed text, identity rag_internal.identity) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.store_document(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[], embed text, identity rag_internal.identity) IS 'What rag.ingest answers. chunks null: the text is split by the collection''s settings, where it is another than stored.';

CREATE FUNCTION rag_internal.stored_identity_key(algorithm text, key text) RETURNS text
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).stored_identity_key(algorithm, key)
$$;

ALTER FUNCTION rag_internal.stored_identity_key(algorithm text, key text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.stored_identity_key(algorithm text, key text) IS 'The key as rag_internal.identity_key has it; 22023 for one that cannot verify tokens of the algorithm, or that others may know.';

CREATE FUNCTION rag_internal.strategy_named(name text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if name in ('hybrid', 'combined', 'rrf') then
        return 'hybrid';
    elsif name in ('semantic', 'dense', 'vector') then
        return 'semantic';
    elsif name in ('bm25', 'lexical', 'sparse') then
        return 'bm25';
    elsif name in ('fuzzy', 'approximate') then
        return 'fuzzy';
    end if;
    raise exception using
        errcode = '22023',
        message = format('unknown strategy "%s"', left(name, 100)),
        hint    = 'Strategies: hybrid (also combined, rrf), semantic (dense, vector), bm25 '
                  '(lexical, sparse), fuzzy (approximate).';
end
$$;

ALTER FUNCTION rag_internal.strategy_named(name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.strategy_named(name text) IS 'hybrid, semantic, bm25 or fuzzy; 22023 for any other name.';

CREATE FUNCTION rag_internal.surface_forms(content text) RETURNS tsvector
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _text text := rag_internal.fold_text(content);
    _forms text[];
    _words tsvector;
begin
    if octet_length(_text) > 100000 then
        _text := rag_internal.fitting_part(_text);
    end if;
    _forms := rag_internal.compound_forms(_text);
    _words := array_to_tsvector(array_remove(string_to_array(
        concat_ws(' ', rag_internal.indexable_words(rag_internal.word_stream(_text)), _forms[1],
                  case when octet_length(_text) > char_length(_text)
                       then rag_internal.single_characters(_text) end), ' '), ''));
    if _forms[2] is null then
        return _words;
    end if;
    return _words || strip(_forms[2]::tsvector);
end
$$;

ALTER FUNCTION rag_internal.surface_forms(content text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.surface_forms(content text) IS 'Distinct folded words, unstemmed, stop words among them, and the wholes of compounds.';

CREATE FUNCTION rag_internal.surface_text(title text, heading text[], content text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT concat_ws(' '::text, title, NULLIF(array_to_string(heading, ' '::text), ''::text), content) AS concat_ws;
END;

ALTER FUNCTION rag_internal.surface_text(title text, heading text[], content text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.surface_text(title text, heading text[], content text) IS 'Title, headings and content of a passage.';

CREATE FUNCTION rag_internal.sweep_tombstones() RETURNS integer
    LANGUAGE plpython3u
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).sweep_tombstones()
$$;

ALTER FUNCTION rag_internal.sweep_tombstones() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.sweep_tombstones() IS 'How many were removed.';

CREATE FUNCTION rag_internal.text_array(items jsonb) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
    if items is null or items = 'null' then
        return null;
    elsif jsonb_typeof(items) <> 'array'
          or jsonb_path_exists(items, 'strict $[*] ? (@.type() != "string")') then
        raise exception using
            errcode = '22023',
            message = 'tags and readers are JSON arrays of strings';
    end if;
    return array(select jsonb_array_elements_text(items));
end
$_$;

ALTER FUNCTION rag_internal.text_array(items jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.text_array(items jsonb) IS 'text[] of a JSON array of strings; anything else is 22023.';

CREATE FUNCTION rag_internal.text_config_for(language text, default_config text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
    select coalesce(
        (select l.config
         from (values
             ('arabic', '{ar,ara}'::text[]), ('armenian', '{hy,arm,hye}'),
             ('basque', '{eu,baq,eus}'), ('catalan', '{ca,cat,valencian}'),
             ('danish', '{da,dan}'), ('dutch', '{nl,dut,nld,flemish}'), ('english', '{en,eng}'),
             ('estonian', '{et,est}'), ('finnish', '{fi,fin}'), ('french', '{fr,fre,fra}'),
             ('german', '{de,ger,deu}'), ('greek', '{el,gre,ell}'), ('hindi', '{hi,hin}'),
             ('hungarian', '{hu,hun}'), ('indonesian', '{id,ind}'), ('irish', '{ga,gle}'),
             ('italian', '{it,ita}'), ('lithuanian', '{lt,lit}'), ('nepali', '{ne,nep}'),
             ('norwegian', '{no,nb,nn,nor,nob,nno,bokmal,nynorsk}'), ('portuguese', '{pt,por}'),
             ('romanian', '{ro,rum,ron,moldavian}'), ('russian', '{ru,rus}'),
             ('serbian', '{sr,srp}'), ('spanish', '{es,spa,castilian}'), ('swedish', '{sv,swe}'),
             ('tamil', '{ta,tam}'), ('turkish', '{tr,tur}'), ('yiddish', '{yi,yid}')
         ) l (config, names)
         join pg_ts_config c on c.cfgname = l.config
                            and c.cfgnamespace = 'pg_catalog'::regnamespace
         where n.name = l.config or n.name = any (l.names)),
        default_config)
    from (select (regexp_match(lower(btrim(language) collate "C"),
                               '^([a-z]+)(?:[-_.@].*)?$'))[1] as name) n
$_$;

ALTER FUNCTION rag_internal.text_config_for(language text, default_config text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.text_config_for(language text, default_config text) IS 'The configuration of pg_catalog for a language code, tag or English name; the default where there is none.';

CREATE FUNCTION rag_internal.token_identity(who name, claims jsonb) RETURNS rag_internal.identity
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _identity rag_internal.identity;
    _role oid := (select r.oid from pg_roles r where r.rolname = claims ->> 'role');
begin
    if claims ->> 'role' is not null
       and (_role is null or not pg_has_role(who, _role, 'usage')) then
        raise exception using
            errcode = '28000',
            message = 'token refused: it is for another database role',
            hint    = 'The current user needs usage of the role that the token names.';
    end if;
    _identity.who := who;
    _identity.tenant := coalesce(claims ->> 'tenant', '');
    _identity.clearance := coalesce((claims ->> 'clearance')::smallint, 0);
    _identity.sees_everything := false;
    _identity.source := 'token';
    _identity.reader := 'user:' || (claims ->> 'sub');
    _identity.why := format('a token signed with key "%s"', claims ->> 'kid');
    _identity.groups := array(select jsonb_array_elements_text(claims -> 'groups'));
    _identity.principal_ids := rag_internal.user_principals(
        claims ->> 'sub', _identity.groups, _identity.tenant)
        || array(select p.principal_id from rag_internal.principal p
                 where p.kind = 'role' and p.role_oid = _role and p.name = claims ->> 'role');
    return _identity;
end
$$;

ALTER FUNCTION rag_internal.token_identity(who name, claims jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.token_identity(who name, claims jsonb) IS 'The user, groups, tenant and clearance of rag_internal.verified_claims, and its role; 28000 where the current user does not have usage of that role.';

CREATE FUNCTION rag_internal.touch_collection(collection_id bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    update rag_internal.collection k set updated_at = k.updated_at
    where k.collection_id = touch_collection.collection_id
$$;

ALTER FUNCTION rag_internal.touch_collection(collection_id bigint) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.touch_collection(collection_id bigint) IS 'Writes the row of a collection anew, as it is.';

CREATE FUNCTION rag_internal.unload_models() RETURNS integer
    LANGUAGE plpython3u
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    return 0
return GD["ragsql"].require(6).unload_models()
$$;

ALTER FUNCTION rag_internal.unload_models() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.unload_models() IS 'Drops the models that the session has loaded and frees its slot; how many.';

CREATE FUNCTION rag_internal.usable_model(name text) RETURNS rag_internal.model
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _model rag_internal.model := rag_internal.find_model(usable_model.name);
begin
    if not (rag_internal.model_status(_model) ->> 'present')::boolean then
        raise exception using
            errcode = '55000',
            message = format(case _model.provider
                                 when 'fastembed' then 'model "%s" is not on the server'
                                 else 'model "%s" cannot be reached' end, _model.name),
            hint    = 'rag.doctor() tells rag_admin what it needs; model => ''none'' makes a '
                      'collection without vectors.';
    end if;
    return _model;
end
$$;

ALTER FUNCTION rag_internal.usable_model(name text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.usable_model(name text) IS 'rag_internal.find_model, and 55000 where the model cannot be used: no files, or no way to it.';

CREATE FUNCTION rag_internal.user_principals(user_name text, groups text[], tenant text) RETURNS bigint[]
    LANGUAGE sql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select array(
        select p.principal_id
        from rag_internal.principal p
        where p.tenant = user_principals.tenant
          and (p.kind = 'user' and p.name = user_principals.user_name
               or p.kind = 'group' and p.name = any (user_principals.groups))
        union all
        select p.principal_id from rag_internal.principal p
        where p.tenant = '' and p.kind = 'public')
$$;

ALTER FUNCTION rag_internal.user_principals(user_name text, groups text[], tenant text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.user_principals(user_name text, groups text[], tenant text) IS 'principal_id of a user (null: none) and groups of a tenant that were granted anything, and of public.';

CREATE FUNCTION rag_internal.vector_form(model rag_internal.model, OUT stored_in text, OUT ranked text, OUT ranked_by text, OUT indexed text, OUT indexed_by text, OUT operators text) RETURNS record
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _of_metric text := case (model).metric when 'cosine' then 'cosine' when 'l2' then 'l2'
                                           else 'ip' end;
    _dimensions integer := (model).dimensions;
begin
    stored_in := case (model).storage when 'vector' then 'full_v' else 'v' end;
    ranked := format('(%%s::"public".%s(%s))', (model).storage, _dimensions);
    ranked_by := format(
        'operator("public".%s)',
        case (model).metric when 'cosine' then '<=>' when 'l2' then '<->' else '<#>' end);
    indexed_by := ranked_by;
    if (model).quantization = 'binary' then
        indexed := format('("public".binary_quantize(%s)::bit(%s))', ranked, _dimensions);
        indexed_by := 'operator("public".<~>)';
        operators := '"public".bit_hamming_ops';
    elsif (model).storage = 'vector' and _dimensions <= 2000 then
        indexed := ranked;
        operators := format('"public".vector_%s_ops', _of_metric);
    elsif _dimensions <= 4000 then
        indexed := format('(%%s::"public".halfvec(%s))', _dimensions);
        operators := format('"public".halfvec_%s_ops', _of_metric);
    end if;
end
$$;

ALTER FUNCTION rag_internal.vector_form(model rag_internal.model, OUT stored_in text, OUT ranked text, OUT ranked_by text, OUT indexed text, OUT indexed_by text, OUT operators text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.vector_form(model rag_internal.model, OUT stored_in text, OUT ranked text, OUT ranked_by text, OUT indexed text, OUT indexed_by text, OUT operators text) IS 'Column of rag_internal.embedding, the expression of a vector that passages are ranked by and the one that is indexed (%s stands for the vector; null: too many dimensions), with their operators and the operator class.';

CREATE FUNCTION rag_internal.verified_claims(token text) RETURNS jsonb
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
import json
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return json.dumps(GD["ragsql"].require(6).verified_claims(token))
$$;

ALTER FUNCTION rag_internal.verified_claims(token text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.verified_claims(token text) IS 'sub, groups, tenant, clearance, role and kid of a token (JWT) whose signature, times, issuer, audience and tenant fit a key of rag_internal.identity_key; tenant, clearance and role are null where it has none. 28000 otherwise, without a word of the token.';

CREATE FUNCTION rag_internal.visible_acls(identity rag_internal.identity, among bigint[] DEFAULT NULL::bigint[]) RETURNS SETOF bigint
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    _tenant text := (identity).tenant;
    _clearance smallint := (identity).clearance;
    _principal_ids bigint[] := (identity).principal_ids;
begin
    if (identity).sees_everything and among is null then
        return query select a.acl_id from rag_internal.acl a;
        return;
    elsif (identity).sees_everything then
        return query select a.acl_id from rag_internal.acl a where a.acl_id = any (among);
        return;
    end if;
    -- few are looked up, all are joined: two plans of the same rule, which a session keeps
    if among is not null then
        return query
            select a.acl_id
            from rag_internal.acl a
            where a.acl_id = any (among)
              and a.tenant = _tenant
              and a.security_level <= _clearance
              and exists (select from rag_internal.acl_reader ar
                          where ar.acl_id = coalesce(a.grants_id, a.acl_id)
                            and ar.principal_id = any (_principal_ids)
                          offset 0);  -- one by one: a join would read all that a principal has
        return;
    end if;
    return query
        select a.acl_id
        from rag_internal.acl a
        where a.tenant = _tenant
          and a.security_level <= _clearance
          and coalesce(a.grants_id, a.acl_id) in (select ar.acl_id
                                                  from rag_internal.acl_reader ar
                                                  where ar.principal_id = any (_principal_ids));
end
$$;

ALTER FUNCTION rag_internal.visible_acls(identity rag_internal.identity, among bigint[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.visible_acls(identity rag_internal.identity, among bigint[]) IS 'acl_id of each sharing class, or of each among these, that the identity may read: its tenant, its clearance, one of its principals.';

CREATE FUNCTION rag_internal.visible_collections(identity rag_internal.identity, names text[]) RETURNS SETOF rag_internal.collection
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
    _is_qualified boolean := array_to_string(names, ' ') ~ ':.*/';
    _principal_ids bigint[] := (identity).principal_ids;
    _sees_everything boolean := (identity).sees_everything;
    _name text;
    _collection rag_internal.collection;
    _meant bigint[];
    _others text;
    _candidates rag_internal.collection[];
begin
    _candidates := case
        when names is null then array(
            select k from rag_internal.collection k order by k.name, k.collection_id)
        when not _is_qualified then array(
            select k from rag_internal.collection k where k.name = any (names)
            order by k.name, k.collection_id)
        else array(
            select k
            from rag_internal.collection k
            join rag_internal.principal o on o.principal_id = k.owner_id
            where k.name = any (names)
               or rag_internal.qualified_names(k.name, o, k.tenant) && names
            order by k.name, k.collection_id) end;
    if not _sees_everything then
        _candidates := rag_internal.known_collections(identity, _candidates, names is not null);
    end if;
    if names is null then
        return query select c.* from unnest(_candidates) c;
        return;
    end if;

    for _name in select distinct n from unnest(names) n loop
        select array_agg(m.collection_id),
               string_agg((rag_internal.qualified_names(m.name, m.owner, m.tenant))[
                              case when _sees_everything then 2 else 1 end], ', '
                          order by m.tenant, m.name)
        into _meant, _others
        from (select c.collection_id, c.name, c.tenant, o as owner,
                     rank() over (order by c.name = _name,
                                           c.tenant <> (identity).tenant,
                                           rag_internal.reader_name(o)
                                               is distinct from (identity).reader,
                                           c.owner_id <> all (_principal_ids)) as place
              from unnest(_candidates) c
              join rag_internal.principal o on o.principal_id = c.owner_id
              where c.name = _name
                 or (_is_qualified
                     and _name = any (rag_internal.qualified_names(c.name, o, c.tenant)))) m
        where m.place = 1;
        if _meant is null then
            raise exception using
                errcode = 'P0002',
                message = format('collection "%s" does not exist or is not visible to you',
                                 coalesce(_name, 'null')),
                hint    = 'select name from rag.list_collections() shows those that are.';
        elsif cardinality(_meant) > 1 then
            raise exception using
                errcode = '42P09',
                message = format('several collections are named "%s"', _name),
                hint    = format('Name one with its owner: %s.', _others);
        end if;
        return query select c.* from unnest(_candidates) c where c.collection_id = _meant[1];
    end loop;
end
$$;

ALTER FUNCTION rag_internal.visible_collections(identity rag_internal.identity, names text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.visible_collections(identity rag_internal.identity, names text[]) IS 'Collections of those names (null: all) that the identity may know of, a name being plain or OWNER/NAME; P0002, in the same words for a missing and for a hidden one, 42P09 where a name may mean several.';

CREATE FUNCTION rag_internal.warn_of_statistics() RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _columns text;
begin
    select string_agg(format('%s.%s', s.tablename, s.attname), ', ' order by 1) into _columns
    from pg_stats s
    where s.schemaname = 'rag_internal'
      and exists (select from pg_attribute a
                  where a.attrelid = format('%I.%I', s.schemaname, s.tablename)::regclass
                    and a.attname = s.attname
                    and (a.attstattarget = 0
                         or a.atttypid = 'tsvector'::regtype
                         or a.attname in ('content', 'title', 'source', 'word')));
    if _columns is not null then
        raise warning using
            message = format('the planner''s statistics hold texts of: %s', _columns),
            hint    = 'As a superuser: alter table ... alter column ... set statistics 0; then '
                      'delete from pg_statistic where starelid = ''...''::regclass; '
                      'vacuum full pg_statistic.';
    end if;
end
$$;

ALTER FUNCTION rag_internal.warn_of_statistics() OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.warn_of_statistics() IS 'A warning with the columns, if there are any.';

CREATE FUNCTION rag_internal.with_model_options(model rag_internal.model, options jsonb) RETURNS rag_internal.model
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select jsonb_populate_record(
        model,
        case options -> 'memory_efficient'
            -- a smaller graph is made good for by a longer search of it
            when 'true' then '{"hnsw_m": 8, "hnsw_ef_construction": 128,
                               "hnsw_ef_search": 200}'::jsonb
            when 'false' then '{"hnsw_m": 16, "hnsw_ef_construction": 128, "hnsw_ef_search": 100}'
            else '{}' end
        || coalesce((select jsonb_object_agg(
                                case when o.key in ('m', 'ef_construction', 'ef_search')
                                     then 'hnsw_' || o.key else o.key end, o.value)
                     from jsonb_each(options) o
                     where o.key <> 'memory_efficient'), '{}'))
$$;

ALTER FUNCTION rag_internal.with_model_options(model rag_internal.model, options jsonb) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.with_model_options(model rag_internal.model, options jsonb) IS 'The model with checked options (rag_internal.check_model_options) put in.';

CREATE FUNCTION rag_internal.withhold(rules rag_internal.redaction_rule[], input text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return coalesce((select r.replacement from unnest(rules) r
                     where input collate "default" ~ r.pattern
                     order by r.name limit 1), input);
end
$$;

ALTER FUNCTION rag_internal.withhold(rules rag_internal.redaction_rule[], input text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.withhold(rules rag_internal.redaction_rule[], input text) IS 'The text, or the replacement of the first rule that matches in it.';

CREATE FUNCTION rag_internal.words_skipped(content text) RETURNS integer
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _text text;
    _words text;
begin
    if octet_length(content) <= 2046 and octet_length(content) = char_length(content) then
        return 0;  -- folding makes nothing longer of ASCII
    end if;
    _text := rag_internal.fold_text(content);
    if octet_length(_text) <= 2046 then
        return 0;
    end if;
    _words := rag_internal.word_stream(_text);
    if octet_length(_text) <= 100000 and _words !~ '[^ ]{255}' then
        return 0;
    end if;
    return cardinality(array_remove(string_to_array(_words, ' '), ''))
           - cardinality(array_remove(string_to_array(
                 rag_internal.indexable_words(
                     rag_internal.word_stream(rag_internal.fitting_part(_text))), ' '), ''));
end
$$;

ALTER FUNCTION rag_internal.words_skipped(content text) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.words_skipped(content text) IS 'How many words of a text rag.analyze leaves out: those over 2,046 bytes and those beyond the part that fits a tsvector.';

CREATE FUNCTION rag_internal.write_chunks(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[], identity rag_internal.identity) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _storage text := (select m.storage from rag_internal.model m
                      where m.model_id = (collection).model_id);
    _job_id bigint;
begin
    delete from rag_internal.chunk c where c.document_id = (document).document_id;
    with written as (
        insert into rag_internal.chunk (document_id, chunk_index, content, embed_text, start_offset,
                               end_offset, start_line, end_line, heading, section_start,
                               section_end, kind, token_count, value, tsv, words_skipped)
        select (document).document_id, p.chunk_index, p.content, p.embed_text, p.start_offset,
               p.end_offset, p.start_line, p.end_line, p.heading, p.section_start, p.section_end,
               p.kind, p.token_count, p.value,
               rag_internal.index_text((document).title, p.heading, p.content,
                                       (document).text_config, (collection).title_weight,
                                       (collection).heading_weight),
               rag_internal.words_skipped(p.content)
        from unnest(chunks) c
        cross join lateral (select (c.chunk).*) p
        returning chunk_id, chunk_index
    )
    insert into rag_internal.embedding (model_id, chunk_id, acl_id, collection_id, embed_hash, v,
                                        full_v)
    select (collection).model_id, w.chunk_id, (document).acl_id, (document).collection_id,
           c.embed_hash,
           case when _storage = 'halfvec' then c.v::"public".halfvec end,
           case when _storage = 'vector' then c.v end
    from written w join unnest(chunks) c on (c.chunk).chunk_index = w.chunk_index
    where c.v is not null;

    perform rag_internal.index_document((document).document_id);
    _job_id := rag_internal.queue_embeddings(collection, (document).document_id, null, identity);
    perform rag_internal.bury_failed(document, collection, chunks);
    return _job_id;
end
$$;

ALTER FUNCTION rag_internal.write_chunks(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[], identity rag_internal.identity) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.write_chunks(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[], identity rag_internal.identity) IS 'Writes passages, lexemes and vectors of a document in place of those it had; the job that makes the vectors still missing, or null.';

CREATE FUNCTION rag_internal.write_context(question text, hits jsonb, max_tokens integer, templates text[], model rag_internal.model) RETURNS jsonb
    LANGUAGE plpython3u STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).write_context(question, hits, max_tokens, templates, model)
$$;

ALTER FUNCTION rag_internal.write_context(question text, hits jsonb, max_tokens integer, templates text[], model rag_internal.model) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.write_context(question text, hits jsonb, max_tokens integer, templates text[], model rag_internal.model) IS 'context, tokens, degraded and sources, each with the places of its hits from 0. templates: of the whole, of a source, and the text without any; null for the built-in. 22023 for a template that leaves the sources out, or no room for them.';

CREATE FUNCTION rag_internal.write_embeddings(model rag_internal.model, chunk_ids bigint[], contents text[], outcomes rag_internal.embedded_text[]) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _written integer;
begin
    with embedded as materialized (
        select i.chunk_id, i.content, o.v
        from unnest(chunk_ids, contents) with ordinality i (chunk_id, content, number)
        join unnest(outcomes) o on o.number = i.number
        where o.v is not null
    ), settled as materialized (
        -- first of all, as in an ingest: it has its document before the tasks of its passages
        select t.chunk_id, d.acl_id, d.collection_id, coalesce(c.embed_text, c.content) as content
        from rag_internal.embedding_task t
        join rag_internal.chunk c using (chunk_id)
        join rag_internal.document d using (document_id)
        where t.model_id = (model).model_id and t.chunk_id = any (chunk_ids) and not t.is_dead
        order by d.document_id, t.chunk_id
        for share of d, c skip locked
    ), held as materialized (
        select s.*
        from settled s
        join rag_internal.embedding_task t
          on t.model_id = (model).model_id and t.chunk_id = s.chunk_id
        where not t.is_dead
        for update of t skip locked
    ), stored as (
        insert into rag_internal.embedding (model_id, chunk_id, acl_id, collection_id, embed_hash,
                                            v, full_v)
        select (model).model_id, h.chunk_id, h.acl_id, h.collection_id,
               rag_internal.embed_hash((model).revision, h.content),
               case when (model).storage = 'halfvec' then e.v::"public".halfvec end,
               case when (model).storage = 'vector' then e.v end
        from held h
        join embedded e on e.chunk_id = h.chunk_id and e.content = h.content
        on conflict on constraint embedding_pkey do nothing
    ), done as (
        delete from rag_internal.embedding_task t
        using held h
        join embedded e on e.chunk_id = h.chunk_id and e.content = h.content
        where t.model_id = (model).model_id and t.chunk_id = h.chunk_id
        returning t.chunk_id
    )
    select count(*) into _written from done;
    if _written > 0 then
        -- a pause that lasts was asked for after these texts were sent
        delete from rag_internal.provider_pause p
        where p.model_id = (model).model_id and p.until <= clock_timestamp();
    end if;
    return _written;
end
$$;

ALTER FUNCTION rag_internal.write_embeddings(model rag_internal.model, chunk_ids bigint[], contents text[], outcomes rag_internal.embedded_text[]) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.write_embeddings(model rag_internal.model, chunk_ids bigint[], contents text[], outcomes rag_internal.embedded_text[]) IS 'Writes the vectors whose text is still the same and removes their tasks; how many.';

CREATE FUNCTION rag_internal.writes_collection(identity rag_internal.identity, collection rag_internal.collection) RETURNS boolean
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select (collection).tenant = (identity).tenant
       and exists (select from rag_internal.collection_writer w
                   where w.collection_id = (collection).collection_id
                     and w.principal_id = any ((identity).principal_ids))
$$;

ALTER FUNCTION rag_internal.writes_collection(identity rag_internal.identity, collection rag_internal.collection) OWNER TO rag_owner;

COMMENT ON FUNCTION rag_internal.writes_collection(identity rag_internal.identity, collection rag_internal.collection) IS 'Whether rag.grant_write lets the identity write documents to the collection.';

CREATE VIEW rag.collection WITH (security_invoker='true') AS
 SELECT r.name,
    r.owner,
    r.description,
    r.strategy,
    r.chunk_size,
    r.overlap,
    r.min_chunk_size,
    r.model,
    r.text_config,
    r.search_defaults,
    r.created_at,
    r.updated_at
   FROM rag_internal.caller c,
    LATERAL rag_internal.readable_collections(c.who, c.ticket) r(name, owner, description, strategy, chunk_size, overlap, min_chunk_size, model, text_config, search_defaults, created_at, updated_at);

ALTER TABLE rag.collection OWNER TO rag_owner;

COMMENT ON VIEW rag.collection IS 'Collections that the caller may know of; rag.list_collections() counts what is in them. A view over a function, not a table behind policies: a plan of the latter would tell of rows that the caller may not see.';

CREATE VIEW rag.dead_letter WITH (security_invoker='true') AS
 SELECT r.job_id,
    r.collection,
    r.source,
    r.document_id,
    r.chunk_index,
    r.model,
    r.attempts,
    r.error,
    r.failed_at
   FROM rag_internal.caller c,
    LATERAL rag_internal.readable_dead_letters(c.who, c.ticket) r(job_id, collection, source, document_id, chunk_index, model, attempts, error, failed_at);

ALTER TABLE rag.dead_letter OWNER TO rag_owner;

COMMENT ON VIEW rag.dead_letter IS 'Passages without a vector that were given up, of jobs that the caller asked for and in documents that it may read: the last error, and after how many attempts. rag.retry_job(job_id) tries them again; so does an ingest of another text.';

CREATE VIEW rag.ingest_log WITH (security_invoker='true') AS
 SELECT r.run_id,
    r.logged_at,
    r.user_name,
    r.collection,
    r.source,
    r.outcome,
    r.document_id,
    r.chunks,
    r.detail
   FROM rag_internal.caller c,
    LATERAL rag_internal.readable_ingest_log(c.who, c.ticket) r(run_id, logged_at, user_name, collection, source, outcome, document_id, chunks, detail);

ALTER TABLE rag.ingest_log OWNER TO rag_owner;

COMMENT ON VIEW rag.ingest_log IS 'What happened to each file of the loads that the caller ran; rag.log_ingest writes a row. A view over a function, not a table behind policies: a plan of the latter would tell of rows that the caller may not see.';

CREATE VIEW rag.job_status WITH (security_invoker='true') AS
 SELECT r.job_id,
    r.kind,
    r.collection,
    r.status,
    r.total,
    r.done,
    r.waiting,
    r.failed,
    r.error,
    r.created_by,
    r.created_at,
    r.finished_at
   FROM rag_internal.caller c,
    LATERAL rag_internal.readable_jobs(c.who, c.ticket) r(job_id, kind, collection, status, total, done, waiting, failed, error, created_by, created_at, finished_at);

ALTER TABLE rag.job_status OWNER TO rag_owner;

COMMENT ON VIEW rag.job_status IS 'Background work that the caller asked for: status is queued, running, done, failed (some passages were given up, see rag.dead_letter) or cancelled; of total passages, done have their vector or are gone, waiting are still to come. error: the last one, or why the model pauses.';

CREATE VIEW rag.model WITH (security_invoker='true') AS
 SELECT r.name,
    r.kind,
    r.provider,
    r.revision,
    r.dimensions,
    r.metric,
    r.query_prefix,
    r.passage_prefix,
    r.max_tokens,
    r.is_default,
    r.created_at,
    r.storage,
    r.quantization,
    r.m,
    r.ef_construction,
    r.ef_search,
    r.long_input,
    r.endpoints
   FROM rag_internal.caller c,
    LATERAL rag_internal.known_models(c.who, c.ticket) r(name, kind, provider, revision, dimensions, metric, query_prefix, passage_prefix, max_tokens, is_default, created_at, storage, quantization, m, ef_construction, ef_search, long_input, endpoints);

ALTER TABLE rag.model OWNER TO rag_owner;

COMMENT ON VIEW rag.model IS 'Registered models: all for a writer, those of its collections for a reader. Dimensions and the window (max_tokens, special tokens included; null: unknown) belong to the model. endpoints: for rag_admin alone.';

CREATE VIEW rag.principal WITH (security_invoker='true') AS
 SELECT r.kind,
    r.name,
    r.created_at
   FROM rag_internal.caller c,
    LATERAL rag_internal.readable_principals(c.who, c.ticket) r(kind, name, created_at);

ALTER TABLE rag.principal OWNER TO rag_owner;

COMMENT ON VIEW rag.principal IS 'Who the caller is to ragsql: the roles it has usage of that were granted something, and public. A view over a function, not a table behind policies: a plan of the latter would tell of rows that the caller may not see.';

CREATE VIEW rag.reranker WITH (security_invoker='true') AS
 SELECT r.name,
    r.provider,
    r.revision,
    r.max_tokens,
    r.scores,
    r.is_default,
    r.created_at,
    r.endpoints
   FROM rag_internal.caller c,
    LATERAL rag_internal.known_rerankers(c.who, c.ticket) r(name, provider, revision, max_tokens, scores, is_default, created_at, endpoints);

ALTER TABLE rag.reranker OWNER TO rag_owner;

COMMENT ON VIEW rag.reranker IS 'Registered rerankers. max_tokens: the window of question and passage together (null: the tokenizer says). endpoints: for rag_admin alone.';

CREATE VIEW rag.search_log WITH (security_invoker='true') AS
 SELECT r.searched_at,
    r.role_name,
    r.identity,
    r.tenant,
    r.source,
    r.strategy,
    r.collections,
    r.query,
    r.query_hash,
    r.document_ids,
    r.chunk_indexes,
    r.steps
   FROM rag_internal.caller c,
    LATERAL rag_internal.readable_search_log(c.who, c.ticket) r(searched_at, role_name, identity, tenant, source, strategy, collections, query, query_hash, document_ids, chunk_indexes, steps);

ALTER TABLE rag.search_log OWNER TO rag_owner;

COMMENT ON VIEW rag.search_log IS 'A row for each search, for rag_admin: identity and source as in rag.whoami; collections that were named (null: none); the query or its keyed hash; the passages that were returned, in order; the steps with their route and milliseconds. A search in a transaction that can only read leaves a line in the server''s log alone.';

CREATE TABLE rag_internal.access_change (
    stamp numeric NOT NULL
);

ALTER TABLE rag_internal.access_change OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.access_change IS 'A random number for each change of rag_internal.acl and acl_reader; some of them may be added up in one row.';

CREATE TABLE rag_internal.acl_reader (
    principal_id bigint NOT NULL,
    acl_id bigint NOT NULL
);

ALTER TABLE rag_internal.acl_reader OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.acl_reader IS 'The readers of each sharing class.';

CREATE TABLE rag_internal.alembic_version (
    version_num character varying(32) NOT NULL
);

ALTER TABLE rag_internal.alembic_version OWNER TO postgres;

CREATE TABLE rag_internal.allowed_source (
    tenant text NOT NULL COLLATE pg_catalog."C",
    collection text NOT NULL COLLATE pg_catalog."C",
    may_search boolean NOT NULL,
    may_ingest boolean NOT NULL
);

ALTER TABLE rag_internal.allowed_source OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.allowed_source IS 'Names of collections that a restricted tenant may search or ingest into.';

CREATE TABLE rag_internal.collection_model (
    collection_id bigint NOT NULL,
    model_id integer NOT NULL
);

ALTER TABLE rag_internal.collection_model OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.collection_model IS 'Further models whose vectors a collection keeps beside those it is searched by: the one it is to change to, or the one it had.';

CREATE TABLE rag_internal.collection_writer (
    collection_id bigint NOT NULL,
    principal_id bigint NOT NULL
);

ALTER TABLE rag_internal.collection_writer OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.collection_writer IS 'Who may write documents to a collection, beside its owner.';

CREATE TABLE rag_internal.content_change (
    collection_id bigint NOT NULL,
    stamp numeric NOT NULL
);

ALTER TABLE rag_internal.content_change OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.content_change IS 'Random stamps, one for each statement that changed documents or vectors of a collection whose answers are kept. Their sum is another one after each.';

CREATE TABLE rag_internal.created_extension (
    name text NOT NULL COLLATE pg_catalog."C"
);

ALTER TABLE rag_internal.created_extension OWNER TO postgres;

COMMENT ON TABLE rag_internal.created_extension IS 'Extensions that the migration created itself; a downgrade to base drops them again.';

CREATE TABLE rag_internal.embedding (
    model_id integer NOT NULL,
    chunk_id bigint NOT NULL,
    acl_id bigint NOT NULL,
    collection_id bigint NOT NULL,
    embed_hash bytea NOT NULL,
    v public.halfvec,
    full_v public.vector,
    CONSTRAINT embedding_has_one_vector CHECK ((num_nonnulls(v, full_v) = 1))
)
PARTITION BY LIST (model_id);
ALTER TABLE ONLY rag_internal.embedding ALTER COLUMN embed_hash SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.embedding ALTER COLUMN v SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.embedding ALTER COLUMN full_v SET STATISTICS 0;

ALTER TABLE rag_internal.embedding OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.embedding IS 'One unit vector per passage and model, a partition per model with its HNSW index. acl_id and collection_id repeat the document''s, so that a scan can be masked without a join.';

COMMENT ON COLUMN rag_internal.embedding.embed_hash IS 'SHA-256 of model revision, kind and exact text: equal text of one owner is embedded once.';

COMMENT ON COLUMN rag_internal.embedding.full_v IS 'The vector of a model whose storage is vector; v holds those of the others.';

CREATE TABLE rag_internal.evaluation (
    run_id bigint NOT NULL,
    strategy text NOT NULL,
    stage text NOT NULL,
    stage_number integer NOT NULL,
    dataset_id bigint NOT NULL,
    evaluated_at timestamp with time zone NOT NULL,
    reader text,
    tenant text NOT NULL COLLATE pg_catalog."C",
    collections text[],
    settings jsonb NOT NULL,
    top_k integer NOT NULL,
    fingerprint bytea NOT NULL,
    queries integer NOT NULL,
    answered integer NOT NULL,
    ndcg_10 double precision,
    mrr_10 double precision,
    recall_5 double precision NOT NULL,
    recall_20 double precision NOT NULL,
    recall_50 double precision NOT NULL
);
ALTER TABLE ONLY rag_internal.evaluation ALTER COLUMN strategy SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.evaluation ALTER COLUMN stage SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.evaluation ALTER COLUMN reader SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.evaluation ALTER COLUMN collections SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.evaluation ALTER COLUMN settings SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.evaluation ALTER COLUMN fingerprint SET STATISTICS 0;

ALTER TABLE rag_internal.evaluation OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.evaluation IS 'What rag.evaluate found and kept, by strategy and stage. reader and tenant: who asked; others see other passages. fingerprint: the dataset as it was.';

CREATE TABLE rag_internal.identity_key (
    kid text NOT NULL COLLATE pg_catalog."C",
    algorithm text NOT NULL,
    key text NOT NULL,
    issuer text COLLATE pg_catalog."C",
    audience text COLLATE pg_catalog."C",
    tenant text COLLATE pg_catalog."C",
    not_before timestamp with time zone,
    not_after timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT identity_key_algorithm_known CHECK ((algorithm = ANY (ARRAY['HS256'::text, 'RS256'::text, 'ES256'::text, 'EdDSA'::text]))),
    CONSTRAINT identity_key_ends_after_it_begins CHECK ((not_after > not_before)),
    CONSTRAINT identity_key_kid_is_plain CHECK ((kid ~ '^[!-~]{1,200}$'::text))
);
ALTER TABLE ONLY rag_internal.identity_key ALTER COLUMN kid SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.identity_key ALTER COLUMN algorithm SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.identity_key ALTER COLUMN key SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.identity_key ALTER COLUMN issuer SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.identity_key ALTER COLUMN audience SET STATISTICS 0;

ALTER TABLE rag_internal.identity_key OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.identity_key IS 'Keys that signed tokens are verified with, by the name that a token''s header gives (kid). For HS256 the key is the secret that signs, so nobody but rag_owner reads this table.';

CREATE TABLE rag_internal.indexed_document (
    document_id uuid NOT NULL,
    entry_id bigint DEFAULT rag_internal.new_id() NOT NULL
);

ALTER TABLE rag_internal.indexed_document OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.indexed_document IS 'Documents in the lexical index. An entry is one indexing of one document: it lies in pending or in segments, and is dead as soon as it is no longer named here.';

CREATE TABLE rag_internal.ingest_log (
    log_id bigint DEFAULT rag_internal.new_id() NOT NULL,
    run_id uuid NOT NULL,
    logged_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    user_name name DEFAULT CURRENT_USER NOT NULL,
    role_oid oid DEFAULT (quote_ident((CURRENT_USER)::text))::regrole NOT NULL,
    collection text NOT NULL,
    source text NOT NULL,
    outcome text NOT NULL,
    document_id uuid,
    chunks integer,
    detail text,
    reader text,
    tenant text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT ingest_log_detail_is_short CHECK ((length(detail) <= 1000)),
    CONSTRAINT ingest_log_outcome_is_known CHECK ((outcome = ANY (ARRAY['created'::text, 'updated'::text, 'unchanged'::text, 'empty'::text, 'binary'::text, 'too_large'::text, 'skipped'::text, 'failed'::text])))
);
ALTER TABLE ONLY rag_internal.ingest_log ALTER COLUMN collection SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.ingest_log ALTER COLUMN source SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.ingest_log ALTER COLUMN detail SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.ingest_log ALTER COLUMN reader SET STATISTICS 0;

ALTER TABLE rag_internal.ingest_log OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.ingest_log IS 'What happened to each file of each load; a user sees the runs of its own.';

COMMENT ON COLUMN rag_internal.ingest_log.reader IS 'Who ran the load: role:NAME or user:NAME; null: the role user_name.';

CREATE TABLE rag_internal.judgment (
    judgment_id bigint DEFAULT rag_internal.new_id() NOT NULL,
    dataset_id bigint NOT NULL,
    query_id text NOT NULL COLLATE pg_catalog."C",
    collection text COLLATE pg_catalog."C",
    source text NOT NULL,
    start_offset integer,
    end_offset integer,
    relevance integer NOT NULL,
    CONSTRAINT judgment_excerpt_has_both_ends CHECK (((start_offset IS NULL) = (end_offset IS NULL))),
    CONSTRAINT judgment_excerpt_is_not_empty CHECK (((0 <= start_offset) AND (start_offset < end_offset))),
    CONSTRAINT judgment_relevance_in_range CHECK (((relevance >= 0) AND (relevance <= 30)))
);
ALTER TABLE ONLY rag_internal.judgment ALTER COLUMN query_id SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.judgment ALTER COLUMN collection SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.judgment ALTER COLUMN source SET STATISTICS 0;

ALTER TABLE rag_internal.judgment OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.judgment IS 'How well a document, or an excerpt of it (characters of its content, end exclusive), answers a question; collection null: whichever has the source.';

CREATE VIEW rag_internal.live_chunk WITH (security_invoker='true') AS
 SELECT c.chunk_id,
    c.document_id,
    c.chunk_index,
    c.tsv,
    d.collection_id,
    d.acl_id,
    d.attributes,
    d.text_config
   FROM (rag_internal.chunk c
     JOIN rag_internal.document d USING (document_id))
  WHERE ((d.status = 'active'::text) AND ((d.valid_from IS NULL) OR (d.valid_from <= statement_timestamp())) AND ((d.valid_until IS NULL) OR (d.valid_until > statement_timestamp())));

ALTER TABLE rag_internal.live_chunk OWNER TO rag_owner;

COMMENT ON VIEW rag_internal.live_chunk IS 'Passages of active documents within their validity. Every use adds the caller''s sharing classes.';

ALTER TABLE rag_internal.model ALTER COLUMN model_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME rag_internal.model_model_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW rag_internal.newer_version WITH (security_invoker='true') AS
 SELECT d.document_id,
    n.document_id AS newer_id,
    n.acl_id,
    n.status,
    n.valid_from,
    n.valid_until
   FROM (rag_internal.document d
     JOIN rag_internal.document n USING (collection_id, source))
  WHERE (ROW(COALESCE(n.valid_from, '-infinity'::timestamp with time zone), n.created_at, n.version) > ROW(COALESCE(d.valid_from, '-infinity'::timestamp with time zone), d.created_at, d.version));

ALTER TABLE rag_internal.newer_version OWNER TO rag_owner;

COMMENT ON VIEW rag_internal.newer_version IS 'Each document with each newer version of its source: by valid_from (none: oldest), then by created_at, then by the text of version. Every use adds who asks, and when.';

CREATE TABLE rag_internal.pending (
    entry_id bigint NOT NULL,
    first_index integer NOT NULL,
    document_id uuid NOT NULL,
    collection_id bigint NOT NULL,
    acl_id bigint NOT NULL,
    text_config text NOT NULL COLLATE pg_catalog."C",
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    passages integer NOT NULL,
    lengths bytea NOT NULL,
    lexemes bytea NOT NULL,
    frequencies bytea NOT NULL,
    surfaces bytea NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='500', toast_tuple_target='8160');
ALTER TABLE ONLY rag_internal.pending ALTER COLUMN lengths SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.pending ALTER COLUMN lengths SET STORAGE EXTERNAL;
ALTER TABLE ONLY rag_internal.pending ALTER COLUMN lexemes SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.pending ALTER COLUMN lexemes SET STORAGE EXTERNAL;
ALTER TABLE ONLY rag_internal.pending ALTER COLUMN frequencies SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.pending ALTER COLUMN frequencies SET STORAGE EXTERNAL;
ALTER TABLE ONLY rag_internal.pending ALTER COLUMN surfaces SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.pending ALTER COLUMN surfaces SET STORAGE EXTERNAL;

ALTER TABLE rag_internal.pending OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.pending IS 'Documents that are searched as they are until they are built into a segment; one row for each 4,096 passages. lengths: 4 bytes (most significant first) for each passage. lexemes, surfaces: UTF-8, each term followed by byte 1, each passage by byte 2. frequencies: a byte for each lexeme.';

COMMENT ON COLUMN rag_internal.pending.valid_from IS 'Of an archived document valid_until, and the other way round: it is never within that.';

CREATE TABLE rag_internal.posting (
    segment_id bigint NOT NULL,
    kind "char" NOT NULL,
    first_term text NOT NULL COLLATE pg_catalog."C",
    terms bytea NOT NULL,
    counts bytea NOT NULL,
    ordinals bytea NOT NULL,
    frequencies bytea NOT NULL,
    CONSTRAINT posting_kind_is_known CHECK ((kind = ANY (ARRAY['l'::"char", 's'::"char"])))
);
ALTER TABLE ONLY rag_internal.posting ALTER COLUMN first_term SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.posting ALTER COLUMN terms SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.posting ALTER COLUMN terms SET STORAGE EXTERNAL;
ALTER TABLE ONLY rag_internal.posting ALTER COLUMN counts SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.posting ALTER COLUMN counts SET STORAGE EXTERNAL;
ALTER TABLE ONLY rag_internal.posting ALTER COLUMN ordinals SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.posting ALTER COLUMN ordinals SET STORAGE EXTERNAL;
ALTER TABLE ONLY rag_internal.posting ALTER COLUMN frequencies SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.posting ALTER COLUMN frequencies SET STORAGE EXTERNAL;

ALTER TABLE rag_internal.posting OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.posting IS 'Which passages of a segment hold a term: lexemes (kind l) and surface forms (kind s). A row is a block of consecutive terms; the engine''s lexical/codec.py tells the format.';

CREATE TABLE rag_internal.provider_pause (
    model_id integer NOT NULL,
    until timestamp with time zone NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    reason text NOT NULL
);
ALTER TABLE ONLY rag_internal.provider_pause ALTER COLUMN reason SET STATISTICS 0;

ALTER TABLE rag_internal.provider_pause OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.provider_pause IS 'Models whose provider is out of reach or asked to wait: until then nothing is claimed for them, and no passage is charged with an attempt.';

CREATE TABLE rag_internal.restricted_tenant (
    tenant text NOT NULL COLLATE pg_catalog."C"
);

ALTER TABLE rag_internal.restricted_tenant OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.restricted_tenant IS 'Tenants that search and ingest only what rag_internal.allowed_source names.';

CREATE TABLE rag_internal.role_rule (
    name text NOT NULL COLLATE pg_catalog."C",
    role_oid oid NOT NULL,
    token_required boolean DEFAULT false NOT NULL,
    clearance smallint DEFAULT 0 NOT NULL,
    tenant text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT role_rule_clearance_not_negative CHECK ((clearance >= 0)),
    CONSTRAINT role_rule_tenant_is_short CHECK ((length(tenant) <= 200))
);

ALTER TABLE rag_internal.role_rule OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.role_rule IS 'What rag.configure_role says of database roles, and of those that have usage of them. A role of the name with another oid is nobody.';

CREATE TABLE rag_internal.scrub_probe (
    number integer NOT NULL
);

ALTER TABLE rag_internal.scrub_probe OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.scrub_probe IS 'Empty, but for moments: whether rows deleted here can be forgotten tells rag.scrub() whether an older snapshot still keeps what was deleted elsewhere.';

CREATE TABLE rag_internal.search_log (
    log_id bigint DEFAULT rag_internal.new_id() NOT NULL,
    searched_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    role_name name NOT NULL,
    reader text,
    tenant text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL,
    strategy text NOT NULL,
    collections text[],
    query text,
    query_hash bytea,
    document_ids uuid[] NOT NULL,
    chunk_indexes integer[] NOT NULL,
    steps jsonb NOT NULL
);
ALTER TABLE ONLY rag_internal.search_log ALTER COLUMN reader SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.search_log ALTER COLUMN source SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.search_log ALTER COLUMN strategy SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.search_log ALTER COLUMN collections SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.search_log ALTER COLUMN query SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.search_log ALTER COLUMN query_hash SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.search_log ALTER COLUMN steps SET STATISTICS 0;

ALTER TABLE rag_internal.search_log OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.search_log IS 'Searches and what they returned. collections null: all that the caller sees. query_hash is a keyed SHA-256 of the query; query is kept where rag.configure_search_log says so.';

CREATE TABLE rag_internal.search_log_setting (
    only_row boolean DEFAULT true NOT NULL,
    mode text DEFAULT 'hash'::text NOT NULL,
    days integer DEFAULT 90 NOT NULL,
    CONSTRAINT search_log_setting_days_positive CHECK ((days > 0)),
    CONSTRAINT search_log_setting_mode_is_known CHECK ((mode = ANY (ARRAY['hash'::text, 'text'::text, 'off'::text]))),
    CONSTRAINT search_log_setting_only_row_check CHECK (only_row)
);
ALTER TABLE ONLY rag_internal.search_log_setting ALTER COLUMN mode SET STATISTICS 0;

ALTER TABLE rag_internal.search_log_setting OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.search_log_setting IS 'What is recorded of searches, and for how many days.';

CREATE TABLE rag_internal.segment (
    segment_id bigint DEFAULT rag_internal.new_id() NOT NULL,
    text_config text NOT NULL COLLATE pg_catalog."C",
    passages integer NOT NULL,
    documents integer NOT NULL,
    entry_ids bytea NOT NULL,
    document_ids bytea NOT NULL,
    collection_ids bytea NOT NULL,
    acl_ids bytea NOT NULL,
    first_passages bytea NOT NULL,
    first_indexes bytea NOT NULL,
    valid_from bytea NOT NULL,
    valid_until bytea NOT NULL,
    lengths bytea NOT NULL,
    CONSTRAINT segment_fits_ordinals CHECK (((passages >= 1) AND (passages <= 65536)))
);
ALTER TABLE ONLY rag_internal.segment ALTER COLUMN entry_ids SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.segment ALTER COLUMN document_ids SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.segment ALTER COLUMN collection_ids SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.segment ALTER COLUMN acl_ids SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.segment ALTER COLUMN first_passages SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.segment ALTER COLUMN first_indexes SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.segment ALTER COLUMN valid_from SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.segment ALTER COLUMN valid_until SET STATISTICS 0;
ALTER TABLE ONLY rag_internal.segment ALTER COLUMN lengths SET STATISTICS 0;

ALTER TABLE rag_internal.segment OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.segment IS 'A block of passages of one text configuration that never changes. Arrays have an item for each document, in the order of (acl_id, collection_id, document_id), lengths for each passage: little-endian, 8 bytes (16: document_ids; 4: first_passages, first_indexes, lengths).';

COMMENT ON COLUMN rag_internal.segment.valid_from IS 'Microseconds since 1970; see pending.valid_from for archived documents.';

CREATE TABLE rag_internal.setting (
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL
);

ALTER TABLE rag_internal.setting OWNER TO postgres;

COMMENT ON TABLE rag_internal.setting IS 'Settings of this database. python_path (folders put before sys.path, parted by the path separator) and model_path (folder of the models) decide what code the server runs, so only a superuser writes here.';

CREATE TABLE rag_internal.tombstone (
    entry_id bigint NOT NULL
);

ALTER TABLE rag_internal.tombstone OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.tombstone IS 'Entries that are dead. Whoever replaces or deletes an entry adds its tombstone; a merge leaves out what it knows to be dead, and what it does not know of stays dead by the tombstone.';

CREATE TABLE rag_internal.unredacted_reader (
    collection_id bigint NOT NULL,
    principal_id bigint NOT NULL
);

ALTER TABLE rag_internal.unredacted_reader OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.unredacted_reader IS 'Who reads a collection as it is written, beside its owner. It grants no reading by itself.';

CREATE VIEW rag_internal.wanted_embedding WITH (security_invoker='true') AS
 SELECT m.model_id,
    m.provider,
    m.revision,
    c.chunk_id,
    d.document_id,
    c.chunk_index,
    d.collection_id,
    d.acl_id,
    k.owner_id,
    COALESCE(c.embed_text, c.content) AS content
   FROM ((((rag_internal.collection k
     JOIN LATERAL ( SELECT k.model_id
          WHERE (k.model_id IS NOT NULL)
        UNION
         SELECT n.model_id
           FROM rag_internal.collection_model n
          WHERE (n.collection_id = k.collection_id)) kept ON (true))
     JOIN rag_internal.model m ON ((m.model_id = kept.model_id)))
     JOIN rag_internal.document d ON ((d.collection_id = k.collection_id)))
     JOIN rag_internal.chunk c ON ((c.document_id = d.document_id)))
  WHERE ((c.value IS NULL) OR (k.min_value IS NULL) OR (c.value >= k.min_value));

ALTER TABLE rag_internal.wanted_embedding OWNER TO rag_owner;

COMMENT ON VIEW rag_internal.wanted_embedding IS 'A row for each passage and model that should have a vector; passages below the min_value of their collection have none.';

CREATE TABLE rag_internal.word (
    word text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE ONLY rag_internal.word ALTER COLUMN word SET STATISTICS 0;

ALTER TABLE rag_internal.word OWNER TO rag_owner;

COMMENT ON TABLE rag_internal.word IS 'Surface forms in segments, without digits; which of them a caller may know is asked of the postings.';

ALTER TABLE ONLY rag_internal.acl
    ADD CONSTRAINT acl_level_key UNIQUE (grants_id, security_level);

ALTER TABLE ONLY rag_internal.acl
    ADD CONSTRAINT acl_pkey PRIMARY KEY (acl_id);

ALTER TABLE ONLY rag_internal.acl_reader
    ADD CONSTRAINT acl_reader_pkey PRIMARY KEY (principal_id, acl_id);

ALTER TABLE ONLY rag_internal.acl
    ADD CONSTRAINT acl_reader_set_key UNIQUE (tenant, security_level, reader_set);

ALTER TABLE ONLY rag_internal.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);

ALTER TABLE ONLY rag_internal.allowed_source
    ADD CONSTRAINT allowed_source_pkey PRIMARY KEY (tenant, collection);

ALTER TABLE ONLY rag_internal.cached_answer
    ADD CONSTRAINT cached_answer_pkey PRIMARY KEY (answer_id);

ALTER TABLE ONLY rag_internal.chunk
    ADD CONSTRAINT chunk_key UNIQUE (document_id, chunk_index);

ALTER TABLE ONLY rag_internal.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (chunk_id);

ALTER TABLE ONLY rag_internal.collection
    ADD CONSTRAINT collection_acl_id_key UNIQUE (acl_id);

ALTER TABLE ONLY rag_internal.collection_model
    ADD CONSTRAINT collection_model_pkey PRIMARY KEY (collection_id, model_id);

ALTER TABLE ONLY rag_internal.collection
    ADD CONSTRAINT collection_name_key UNIQUE (tenant, owner_id, name);

ALTER TABLE ONLY rag_internal.collection
    ADD CONSTRAINT collection_pkey PRIMARY KEY (collection_id);

ALTER TABLE ONLY rag_internal.collection_writer
    ADD CONSTRAINT collection_writer_pkey PRIMARY KEY (collection_id, principal_id);

ALTER TABLE ONLY rag_internal.created_extension
    ADD CONSTRAINT created_extension_pkey PRIMARY KEY (name);

ALTER TABLE ONLY rag_internal.dataset
    ADD CONSTRAINT dataset_name_key UNIQUE (tenant, owner_id, name);

ALTER TABLE ONLY rag_internal.dataset
    ADD CONSTRAINT dataset_pkey PRIMARY KEY (dataset_id);

ALTER TABLE ONLY rag_internal.dataset_query
    ADD CONSTRAINT dataset_query_pkey PRIMARY KEY (dataset_id, query_id);

ALTER TABLE ONLY rag_internal.document
    ADD CONSTRAINT document_key UNIQUE (collection_id, source, version);

ALTER TABLE ONLY rag_internal.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (document_id);

ALTER TABLE ONLY rag_internal.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (model_id, chunk_id);

ALTER TABLE ONLY rag_internal.embedding_task
    ADD CONSTRAINT embedding_task_pkey PRIMARY KEY (model_id, chunk_id);

ALTER TABLE ONLY rag_internal.evaluation
    ADD CONSTRAINT evaluation_pkey PRIMARY KEY (run_id, strategy, stage);

ALTER TABLE ONLY rag_internal.identity_key
    ADD CONSTRAINT identity_key_pkey PRIMARY KEY (kid);

ALTER TABLE ONLY rag_internal.indexed_document
    ADD CONSTRAINT indexed_document_pkey PRIMARY KEY (document_id);

ALTER TABLE ONLY rag_internal.ingest_log
    ADD CONSTRAINT ingest_log_pkey PRIMARY KEY (log_id);

ALTER TABLE ONLY rag_internal.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (job_id);

ALTER TABLE ONLY rag_internal.judgment
    ADD CONSTRAINT judgment_pkey PRIMARY KEY (judgment_id);

ALTER TABLE ONLY rag_internal.model
    ADD CONSTRAINT model_name_key UNIQUE (name);

ALTER TABLE ONLY rag_internal.model
    ADD CONSTRAINT model_pkey PRIMARY KEY (model_id);

ALTER TABLE ONLY rag_internal.pending
    ADD CONSTRAINT pending_pkey PRIMARY KEY (entry_id, first_index);

ALTER TABLE ONLY rag_internal.posting
    ADD CONSTRAINT posting_pkey PRIMARY KEY (segment_id, kind, first_term);

ALTER TABLE ONLY rag_internal.principal
    ADD CONSTRAINT principal_key UNIQUE NULLS NOT DISTINCT (tenant, kind, name, role_oid);

ALTER TABLE ONLY rag_internal.principal
    ADD CONSTRAINT principal_pkey PRIMARY KEY (principal_id);

ALTER TABLE ONLY rag_internal.provider_pause
    ADD CONSTRAINT provider_pause_pkey PRIMARY KEY (model_id);

ALTER TABLE ONLY rag_internal.redaction_rule
    ADD CONSTRAINT redaction_rule_pkey PRIMARY KEY (collection_id, name);

ALTER TABLE ONLY rag_internal.reranker
    ADD CONSTRAINT reranker_pkey PRIMARY KEY (name);

ALTER TABLE ONLY rag_internal.restricted_tenant
    ADD CONSTRAINT restricted_tenant_pkey PRIMARY KEY (tenant);

ALTER TABLE ONLY rag_internal.role_rule
    ADD CONSTRAINT role_rule_pkey PRIMARY KEY (name);

ALTER TABLE ONLY rag_internal.scrub_probe
    ADD CONSTRAINT scrub_probe_pkey PRIMARY KEY (number);

ALTER TABLE ONLY rag_internal.search_log
    ADD CONSTRAINT search_log_pkey PRIMARY KEY (log_id);

ALTER TABLE ONLY rag_internal.search_log_setting
    ADD CONSTRAINT search_log_setting_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY rag_internal.segment
    ADD CONSTRAINT segment_pkey PRIMARY KEY (segment_id);

ALTER TABLE ONLY rag_internal.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);

ALTER TABLE ONLY rag_internal.ticket_key
    ADD CONSTRAINT ticket_key_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY rag_internal.tombstone
    ADD CONSTRAINT tombstone_pkey PRIMARY KEY (entry_id);

ALTER TABLE ONLY rag_internal.unredacted_reader
    ADD CONSTRAINT unredacted_reader_pkey PRIMARY KEY (collection_id, principal_id);

CREATE INDEX acl_reader_acl_id ON rag_internal.acl_reader USING btree (acl_id);

CREATE INDEX cached_answer_expires_at ON rag_internal.cached_answer USING btree (expires_at);

CREATE INDEX cached_answer_key ON rag_internal.cached_answer USING btree (key);

CREATE INDEX chunk_tsv ON rag_internal.chunk USING gin (tsv);

CREATE INDEX collection_model_model_id ON rag_internal.collection_model USING btree (model_id);

CREATE INDEX collection_name ON rag_internal.collection USING btree (name);

CREATE INDEX collection_owner_id ON rag_internal.collection USING btree (owner_id);

CREATE INDEX collection_writer_principal_id ON rag_internal.collection_writer USING btree (principal_id);

CREATE INDEX content_change_collection_id ON rag_internal.content_change USING btree (collection_id);

CREATE INDEX dataset_owner_id ON rag_internal.dataset USING btree (owner_id);

CREATE INDEX document_acl_id ON rag_internal.document USING btree (acl_id);

CREATE INDEX document_attributes ON rag_internal.document USING gin (attributes jsonb_path_ops);

CREATE INDEX document_updated_at ON rag_internal.document USING btree (updated_at);

CREATE INDEX document_versioned ON rag_internal.document USING btree (collection_id) WHERE (version <> ''::text);

CREATE INDEX embedding_chunk_id ON ONLY rag_internal.embedding USING btree (chunk_id);

CREATE INDEX embedding_embed_hash ON ONLY rag_internal.embedding USING btree (embed_hash);

CREATE INDEX embedding_scope ON ONLY rag_internal.embedding USING btree (acl_id, collection_id);

CREATE INDEX embedding_task_chunk_id ON rag_internal.embedding_task USING btree (chunk_id);

CREATE INDEX embedding_task_claim_id ON rag_internal.embedding_task USING btree (claim_id) WHERE (claim_id IS NOT NULL);

CREATE INDEX embedding_task_job_id ON rag_internal.embedding_task USING btree (job_id);

CREATE INDEX embedding_task_run_after ON rag_internal.embedding_task USING btree (run_after) WHERE (NOT is_dead);

CREATE INDEX embedding_task_scope ON rag_internal.embedding_task USING btree (collection_id, acl_id);

CREATE INDEX evaluation_dataset_id ON rag_internal.evaluation USING btree (dataset_id, evaluated_at);

CREATE INDEX ingest_log_logged_at ON rag_internal.ingest_log USING btree (logged_at);

CREATE INDEX ingest_log_run_id ON rag_internal.ingest_log USING btree (run_id);

CREATE INDEX job_collection_id ON rag_internal.job USING btree (collection_id);

CREATE INDEX job_open ON rag_internal.job USING btree (created_at) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE INDEX judgment_query_id ON rag_internal.judgment USING btree (dataset_id, query_id);

CREATE UNIQUE INDEX model_default ON rag_internal.model USING btree (kind) WHERE is_default;

CREATE INDEX pending_text_config ON rag_internal.pending USING btree (text_config);

CREATE UNIQUE INDEX reranker_default ON rag_internal.reranker USING btree (is_default) WHERE is_default;

CREATE INDEX search_log_searched_at ON rag_internal.search_log USING btree (searched_at);

CREATE INDEX unredacted_reader_principal_id ON rag_internal.unredacted_reader USING btree (principal_id);

CREATE INDEX word_length ON rag_internal.word USING btree (length(word));

CREATE INDEX word_trigrams ON rag_internal.word USING gin (word public.gin_trgm_ops);

CREATE INDEX word_word ON rag_internal.word USING btree (word);

CREATE TRIGGER bury_entry AFTER DELETE OR UPDATE ON rag_internal.indexed_document FOR EACH ROW EXECUTE FUNCTION rag_internal.bury_entry();

COMMENT ON TRIGGER bury_entry ON rag_internal.indexed_document IS 'Leaves a tombstone.';

CREATE TRIGGER derive_document BEFORE UPDATE OF source, version, title, content, status, valid_from, valid_until, tags, metadata ON rag_internal.document FOR EACH ROW EXECUTE FUNCTION rag_internal.derive_document();

COMMENT ON TRIGGER derive_document ON rag_internal.document IS 'Keeps derived columns in step.';

CREATE TRIGGER follow_chunk AFTER UPDATE OF content, embed_text, heading ON rag_internal.chunk FOR EACH ROW WHEN (((old.content IS DISTINCT FROM new.content) OR (old.embed_text IS DISTINCT FROM new.embed_text) OR (old.heading IS DISTINCT FROM new.heading))) EXECUTE FUNCTION rag_internal.follow_chunk();

COMMENT ON TRIGGER follow_chunk ON rag_internal.chunk IS 'Keeps lexemes and vectors in step with passages that plain SQL changes.';

CREATE TRIGGER follow_document AFTER UPDATE OF acl_id, collection_id, text_config, status, valid_from, valid_until ON rag_internal.document FOR EACH ROW WHEN (((old.acl_id IS DISTINCT FROM new.acl_id) OR (old.collection_id IS DISTINCT FROM new.collection_id) OR (old.text_config IS DISTINCT FROM new.text_config) OR (old.status IS DISTINCT FROM new.status) OR (old.valid_from IS DISTINCT FROM new.valid_from) OR (old.valid_until IS DISTINCT FROM new.valid_until))) EXECUTE FUNCTION rag_internal.follow_document();

COMMENT ON TRIGGER follow_document ON rag_internal.document IS 'Keeps the lexical index in step.';

CREATE TRIGGER follow_title AFTER UPDATE OF title ON rag_internal.document FOR EACH ROW WHEN (((old.title IS DISTINCT FROM new.title) AND (old.content_hash = new.content_hash) AND (old.indexed_as = new.indexed_as))) EXECUTE FUNCTION rag_internal.follow_title();

COMMENT ON TRIGGER follow_title ON rag_internal.document IS 'Keeps the lexical index in step with titles.';

CREATE TRIGGER note_access_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON rag_internal.acl FOR EACH STATEMENT EXECUTE FUNCTION rag_internal.note_access_change();

COMMENT ON TRIGGER note_access_change ON rag_internal.acl IS 'Makes sessions look again.';

CREATE TRIGGER note_access_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON rag_internal.acl_reader FOR EACH STATEMENT EXECUTE FUNCTION rag_internal.note_access_change();

COMMENT ON TRIGGER note_access_change ON rag_internal.acl_reader IS 'Makes sessions look again.';

CREATE TRIGGER note_content_change_by_delete AFTER DELETE ON rag_internal.document REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION rag_internal.note_content_change();

COMMENT ON TRIGGER note_content_change_by_delete ON rag_internal.document IS 'Ends what was kept of answers.';

CREATE TRIGGER note_content_change_by_delete AFTER DELETE ON rag_internal.embedding REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION rag_internal.note_content_change();

COMMENT ON TRIGGER note_content_change_by_delete ON rag_internal.embedding IS 'Ends what was kept of answers.';

CREATE TRIGGER note_content_change_by_insert AFTER INSERT ON rag_internal.document REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION rag_internal.note_content_change();

COMMENT ON TRIGGER note_content_change_by_insert ON rag_internal.document IS 'Ends what was kept of answers.';

CREATE TRIGGER note_content_change_by_insert AFTER INSERT ON rag_internal.embedding REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION rag_internal.note_content_change();

COMMENT ON TRIGGER note_content_change_by_insert ON rag_internal.embedding IS 'Ends what was kept of answers.';

CREATE TRIGGER note_content_change_by_update AFTER UPDATE ON rag_internal.document REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION rag_internal.note_content_change();

COMMENT ON TRIGGER note_content_change_by_update ON rag_internal.document IS 'Ends what was kept of answers.';

CREATE TRIGGER note_content_change_by_update AFTER UPDATE ON rag_internal.embedding REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION rag_internal.note_content_change();

COMMENT ON TRIGGER note_content_change_by_update ON rag_internal.embedding IS 'Ends what was kept of answers.';

CREATE TRIGGER resplit_document AFTER UPDATE OF content ON rag_internal.document FOR EACH ROW WHEN (((old.content <> new.content) AND (new.indexed_as = '{}'::jsonb))) EXECUTE FUNCTION rag_internal.resplit_document();

COMMENT ON TRIGGER resplit_document ON rag_internal.document IS 'Keeps passages in step with texts that plain SQL changes.';

ALTER TABLE ONLY rag_internal.acl
    ADD CONSTRAINT acl_grants_id_fkey FOREIGN KEY (grants_id) REFERENCES rag_internal.acl(acl_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.acl_reader
    ADD CONSTRAINT acl_reader_acl_id_fkey FOREIGN KEY (acl_id) REFERENCES rag_internal.acl(acl_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.acl_reader
    ADD CONSTRAINT acl_reader_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES rag_internal.principal(principal_id);

ALTER TABLE ONLY rag_internal.allowed_source
    ADD CONSTRAINT allowed_source_tenant_fkey FOREIGN KEY (tenant) REFERENCES rag_internal.restricted_tenant(tenant) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES rag_internal.document(document_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.collection
    ADD CONSTRAINT collection_acl_id_fkey FOREIGN KEY (acl_id) REFERENCES rag_internal.acl(acl_id);

ALTER TABLE ONLY rag_internal.collection_model
    ADD CONSTRAINT collection_model_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES rag_internal.collection(collection_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.collection
    ADD CONSTRAINT collection_model_id_fkey FOREIGN KEY (model_id) REFERENCES rag_internal.model(model_id);

ALTER TABLE ONLY rag_internal.collection_model
    ADD CONSTRAINT collection_model_model_id_fkey FOREIGN KEY (model_id) REFERENCES rag_internal.model(model_id);

ALTER TABLE ONLY rag_internal.collection
    ADD CONSTRAINT collection_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES rag_internal.principal(principal_id);

ALTER TABLE ONLY rag_internal.collection_writer
    ADD CONSTRAINT collection_writer_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES rag_internal.collection(collection_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.collection_writer
    ADD CONSTRAINT collection_writer_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES rag_internal.principal(principal_id);

ALTER TABLE ONLY rag_internal.content_change
    ADD CONSTRAINT content_change_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES rag_internal.collection(collection_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.dataset
    ADD CONSTRAINT dataset_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES rag_internal.principal(principal_id);

ALTER TABLE ONLY rag_internal.dataset_query
    ADD CONSTRAINT dataset_query_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES rag_internal.dataset(dataset_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.document
    ADD CONSTRAINT document_acl_id_fkey FOREIGN KEY (acl_id) REFERENCES rag_internal.acl(acl_id);

ALTER TABLE ONLY rag_internal.document
    ADD CONSTRAINT document_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES rag_internal.collection(collection_id) ON DELETE CASCADE;

ALTER TABLE rag_internal.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES rag_internal.chunk(chunk_id) ON DELETE CASCADE;

ALTER TABLE rag_internal.embedding
    ADD CONSTRAINT embedding_model_id_fkey FOREIGN KEY (model_id) REFERENCES rag_internal.model(model_id);

ALTER TABLE ONLY rag_internal.embedding_task
    ADD CONSTRAINT embedding_task_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES rag_internal.chunk(chunk_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.embedding_task
    ADD CONSTRAINT embedding_task_job_id_fkey FOREIGN KEY (job_id) REFERENCES rag_internal.job(job_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.embedding_task
    ADD CONSTRAINT embedding_task_model_id_fkey FOREIGN KEY (model_id) REFERENCES rag_internal.model(model_id);

ALTER TABLE ONLY rag_internal.evaluation
    ADD CONSTRAINT evaluation_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES rag_internal.dataset(dataset_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.indexed_document
    ADD CONSTRAINT indexed_document_document_id_fkey FOREIGN KEY (document_id) REFERENCES rag_internal.document(document_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.job
    ADD CONSTRAINT job_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES rag_internal.collection(collection_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.judgment
    ADD CONSTRAINT judgment_dataset_id_query_id_fkey FOREIGN KEY (dataset_id, query_id) REFERENCES rag_internal.dataset_query(dataset_id, query_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.posting
    ADD CONSTRAINT posting_segment_id_fkey FOREIGN KEY (segment_id) REFERENCES rag_internal.segment(segment_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.provider_pause
    ADD CONSTRAINT provider_pause_model_id_fkey FOREIGN KEY (model_id) REFERENCES rag_internal.model(model_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.redaction_rule
    ADD CONSTRAINT redaction_rule_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES rag_internal.collection(collection_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.unredacted_reader
    ADD CONSTRAINT unredacted_reader_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES rag_internal.collection(collection_id) ON DELETE CASCADE;

ALTER TABLE ONLY rag_internal.unredacted_reader
    ADD CONSTRAINT unredacted_reader_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES rag_internal.principal(principal_id);

ALTER TABLE rag_internal.access_change ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.acl ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.acl_reader ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.allowed_source ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.cached_answer ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.chunk ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.collection ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.collection_model ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.collection_writer ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.content_change ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.dataset ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.dataset_query ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.document ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.embedding ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.embedding_task ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.evaluation ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.identity_key ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.indexed_document ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.ingest_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.job ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.judgment ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.model ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.pending ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.posting ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.principal ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.provider_pause ENABLE ROW LEVEL SECURITY;

CREATE POLICY read_acl ON rag_internal.acl FOR SELECT TO rag_reader USING ((acl_id IN ( SELECT a.acl_id
   FROM rag_internal.caller c,
    LATERAL rag_internal.readable_acls(c.who, c.ticket) a(acl_id))));

COMMENT ON POLICY read_acl ON rag_internal.acl IS 'The readers of the class.';

CREATE POLICY read_chunk ON rag_internal.chunk FOR SELECT TO rag_reader USING ((EXISTS ( SELECT
   FROM rag_internal.document d
  WHERE (d.document_id = chunk.document_id))));

COMMENT ON POLICY read_chunk ON rag_internal.chunk IS 'The readers of its document.';

CREATE POLICY read_collection ON rag_internal.collection FOR SELECT TO rag_reader USING (((acl_id IN ( SELECT a.acl_id
   FROM rag_internal.caller c,
    LATERAL rag_internal.readable_acls(c.who, c.ticket) a(acl_id))) OR (owner_id IN ( SELECT p.principal_id
   FROM rag_internal.caller c,
    LATERAL rag_internal.own_principals(c.who, c.ticket) p(principal_id))) OR (EXISTS ( SELECT
   FROM rag_internal.document d
  WHERE (d.collection_id = collection.collection_id)))));

COMMENT ON POLICY read_collection ON rag_internal.collection IS 'Its default readers, its owner, and readers of a document in it.';

CREATE POLICY read_document ON rag_internal.document FOR SELECT TO rag_reader USING ((acl_id IN ( SELECT a.acl_id
   FROM rag_internal.caller c,
    LATERAL rag_internal.readable_acls(c.who, c.ticket) a(acl_id))));

COMMENT ON POLICY read_document ON rag_internal.document IS 'The readers of its sharing class.';

CREATE POLICY read_ingest_log ON rag_internal.ingest_log FOR SELECT TO rag_reader USING ((EXISTS ( SELECT
   FROM rag_internal.caller c
  WHERE rag_internal.is_own_work(c.who, c.ticket, ingest_log.user_name, ingest_log.role_oid, ingest_log.reader, ingest_log.tenant))));

COMMENT ON POLICY read_ingest_log ON rag_internal.ingest_log IS 'Who ran it, and who sees everything.';

CREATE POLICY read_job ON rag_internal.job FOR SELECT TO rag_reader USING ((EXISTS ( SELECT
   FROM rag_internal.caller c
  WHERE rag_internal.is_own_work(c.who, c.ticket, job.created_by, job.role_oid, job.reader, job.tenant))));

COMMENT ON POLICY read_job ON rag_internal.job IS 'Who asked for it, and who sees everything.';

CREATE POLICY read_model ON rag_internal.model FOR SELECT TO rag_reader USING (true);

COMMENT ON POLICY read_model ON rag_internal.model IS 'Every reader.';

CREATE POLICY read_principal ON rag_internal.principal FOR SELECT TO rag_reader USING ((principal_id IN ( SELECT p.principal_id
   FROM rag_internal.caller c,
    LATERAL rag_internal.own_principals(c.who, c.ticket) p(principal_id))));

COMMENT ON POLICY read_principal ON rag_internal.principal IS 'Whoever the principal is.';

ALTER TABLE rag_internal.redaction_rule ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.reranker ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.restricted_tenant ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.role_rule ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.scrub_probe ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.search_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.search_log_setting ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.segment ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.setting ENABLE ROW LEVEL SECURITY;

CREATE POLICY setting_for_owner ON rag_internal.setting FOR SELECT TO rag_owner USING (true);

ALTER TABLE rag_internal.ticket_key ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.tombstone ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.unredacted_reader ENABLE ROW LEVEL SECURITY;

ALTER TABLE rag_internal.word ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA rag TO rag_reader;
GRANT USAGE ON SCHEMA rag TO rag_owner;

GRANT ALL ON SCHEMA rag_internal TO rag_owner;

REVOKE ALL ON FUNCTION rag_internal.add_dataset(who name, ticket bytea, name text, queries jsonb, judgments jsonb, collections text[], description text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.add_dataset(who name, ticket bytea, name text, queries jsonb, judgments jsonb, collections text[], description text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.ticket(secret bytea, who name) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.ticket(secret bytea, who name) TO rag_reader;

GRANT SELECT ON TABLE rag_internal.caller TO rag_reader;

REVOKE ALL ON FUNCTION rag.add_dataset(name text, queries jsonb, judgments jsonb, collections text[], description text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.add_dataset(name text, queries jsonb, judgments jsonb, collections text[], description text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.add_identity_key(who name, ticket bytea, kid text, algorithm text, key text, issuer text, audience text, tenant text, not_before timestamp with time zone, not_after timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.add_identity_key(who name, ticket bytea, kid text, algorithm text, key text, issuer text, audience text, tenant text, not_before timestamp with time zone, not_after timestamp with time zone) TO rag_admin;

REVOKE ALL ON FUNCTION rag.add_identity_key(kid text, algorithm text, key text, issuer text, audience text, tenant text, not_before timestamp with time zone, not_after timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.add_identity_key(kid text, algorithm text, key text, issuer text, audience text, tenant text, not_before timestamp with time zone, not_after timestamp with time zone) TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.add_model(who name, ticket bytea, name text, provider text, dimensions integer, options jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.add_model(who name, ticket bytea, name text, provider text, dimensions integer, options jsonb) TO rag_admin;

REVOKE ALL ON FUNCTION rag.add_model(name text, provider text, dimensions integer, options jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.add_model(name text, provider text, dimensions integer, options jsonb) TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.add_redaction_rule(who name, ticket bytea, collection text, name text, pattern text, detector text, replacement text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.add_redaction_rule(who name, ticket bytea, collection text, name text, pattern text, detector text, replacement text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.add_redaction_rule(collection text, name text, pattern text, detector text, replacement text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.add_redaction_rule(collection text, name text, pattern text, detector text, replacement text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.add_reranker(who name, ticket bytea, name text, provider text, options jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.add_reranker(who name, ticket bytea, name text, provider text, options jsonb) TO rag_admin;

REVOKE ALL ON FUNCTION rag.add_reranker(name text, provider text, options jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.add_reranker(name text, provider text, options jsonb) TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.adopt_role(who name, ticket bytea, role text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.adopt_role(who name, ticket bytea, role text) TO rag_admin;

REVOKE ALL ON FUNCTION rag.adopt_role(role text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.adopt_role(role text) TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.disallow_source(who name, ticket bytea, collection text, tenant text, is_unrestricted boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.disallow_source(who name, ticket bytea, collection text, tenant text, is_unrestricted boolean) TO rag_admin;

REVOKE ALL ON FUNCTION rag.allow_all_sources(tenant text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.allow_all_sources(tenant text) TO rag_admin;

REVOKE ALL ON FUNCTION rag.allow_http(hosts text[], key_variables text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.allow_http(hosts text[], key_variables text[]) TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.allow_source(who name, ticket bytea, collection text, tenant text, may_search boolean, may_ingest boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.allow_source(who name, ticket bytea, collection text, tenant text, may_search boolean, may_ingest boolean) TO rag_admin;

REVOKE ALL ON FUNCTION rag.allow_source(collection text, tenant text, may_search boolean, may_ingest boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.allow_source(collection text, tenant text, may_search boolean, may_ingest boolean) TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.alter_collection(who name, ticket bytea, name text, description text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.alter_collection(who name, ticket bytea, name text, description text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer) TO rag_writer;

REVOKE ALL ON FUNCTION rag.alter_collection(name text, description text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.alter_collection(name text, description text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.ascii_words(folded text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.ascii_words(folded text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.compound_forms(folded text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.compound_forms(folded text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.indexable_words(words text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.indexable_words(words text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.single_characters(folded text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.single_characters(folded text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.word_stream(folded text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.word_stream(folded text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.tsvector_bound(folded text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.tsvector_bound(folded text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.fitting_part(folded text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.fitting_part(folded text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.lexemes_of(config text, words text, joined text, exact text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.lexemes_of(config text, words text, joined text, exact text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.analyze_folded(config text, folded text, characters boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.analyze_folded(config text, folded text, characters boolean) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.canonical_text_config(config text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.canonical_text_config(config text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.fold_text(content text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.fold_text(content text) TO rag_reader;

REVOKE ALL ON FUNCTION rag."analyze"(content text, config text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag."analyze"(content text, config text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.search(who name, ticket bytea, token text, request rag_internal.search_request) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.search(who name, ticket bytea, token text, request rag_internal.search_request) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.search_request(query text, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, skip integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, highlight boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.search_request(query text, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, skip integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, highlight boolean) TO rag_reader;

REVOKE ALL ON FUNCTION rag.bm25_search(query text, collections text[], top_k integer, filter jsonb, filter_path jsonpath, vars jsonb, skip integer, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, highlight boolean, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.bm25_search(query text, collections text[], top_k integer, filter jsonb, filter_path jsonpath, vars jsonb, skip integer, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, highlight boolean, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.cancel_job(who name, ticket bytea, job_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.cancel_job(who name, ticket bytea, job_id bigint) TO rag_writer;

REVOKE ALL ON FUNCTION rag.cancel_job(job_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.cancel_job(job_id bigint) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.check_recall(who name, ticket bytea, collection text, n integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.check_recall(who name, ticket bytea, collection text, n integer) TO rag_reader;

REVOKE ALL ON FUNCTION rag.check_recall(collection text, n integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.check_recall(collection text, n integer) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.chunk_quality(who name, ticket bytea, document_id uuid, collection text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.chunk_quality(who name, ticket bytea, document_id uuid, collection text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.chunk_quality(document_id uuid, collection text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.chunk_quality(document_id uuid, collection text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.chunk_text(who name, ticket bytea, content text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, source text, language text, mime text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.chunk_text(who name, ticket bytea, content text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, source text, language text, mime text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.chunk_text(content text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, source text, language text, mime text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.chunk_text(content text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, source text, language text, mime text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.claim_job(who name, ticket bytea, max_passages integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.claim_job(who name, ticket bytea, max_passages integer) TO rag_writer;

REVOKE ALL ON FUNCTION rag.claim_job(max_passages integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.claim_job(max_passages integer) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.configure_role(who name, ticket bytea, role text, token_required boolean, clearance integer, tenant text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.configure_role(who name, ticket bytea, role text, token_required boolean, clearance integer, tenant text) TO rag_admin;

REVOKE ALL ON FUNCTION rag.configure_role(role text, token_required boolean, clearance integer, tenant text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.configure_role(role text, token_required boolean, clearance integer, tenant text) TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.configure_search_log(who name, ticket bytea, mode text, days integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.configure_search_log(who name, ticket bytea, mode text, days integer) TO rag_admin;

REVOKE ALL ON FUNCTION rag.configure_search_log(mode text, days integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.configure_search_log(mode text, days integer) TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.context(who name, ticket bytea, token text, request rag_internal.search_request, max_tokens integer, templates text[], model text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.context(who name, ticket bytea, token text, request rag_internal.search_request, max_tokens integer, templates text[], model text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.context(query text, max_tokens integer, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, template text, source_template text, abstain text, model text, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.context(query text, max_tokens integer, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, template text, source_template text, abstain text, model text, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.correct_query(who name, ticket bytea, query text, collections text[], token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.correct_query(who name, ticket bytea, query text, collections text[], token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.correct_query(query text, collections text[], token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.correct_query(query text, collections text[], token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.cosine_similarity(a public.vector, b public.vector) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.cosine_similarity(a public.vector, b public.vector) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.count_matches(who name, ticket bytea, token text, request rag_internal.search_request) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.count_matches(who name, ticket bytea, token text, request rag_internal.search_request) TO rag_reader;

REVOKE ALL ON FUNCTION rag.count_matches(query text, collections text[], strategy text, filter jsonb, filter_path jsonpath, vars jsonb, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, query_vector public.vector, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.count_matches(query text, collections text[], strategy text, filter jsonb, filter_path jsonpath, vars jsonb, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, query_vector public.vector, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.make_collection(who name, ticket bytea, name text, description text, readers text[], strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer, security_level integer, tenant text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.make_collection(who name, ticket bytea, name text, description text, readers text[], strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer, security_level integer, tenant text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.create_collection(name text, description text, readers text[], strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer, security_level integer, tenant text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.create_collection(name text, description text, readers text[], strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer, security_level integer, tenant text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.decompose_query(who name, ticket bytea, query text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.decompose_query(who name, ticket bytea, query text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.decompose_query(query text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.decompose_query(query text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.delete_document(who name, ticket bytea, document_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.delete_document(who name, ticket bytea, document_id uuid) TO rag_writer;

REVOKE ALL ON FUNCTION rag.delete_document(document_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.delete_document(document_id uuid) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.delete_source(who name, ticket bytea, collection text, source text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.delete_source(who name, ticket bytea, collection text, source text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.delete_source(collection text, source text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.delete_source(collection text, source text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.describe_collections(who name, ticket bytea, names text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.describe_collections(who name, ticket bytea, names text[]) TO rag_reader;

REVOKE ALL ON FUNCTION rag.describe_collection(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.describe_collection(name text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.detect_document_type(who name, ticket bytea, content text, source text, mime text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.detect_document_type(who name, ticket bytea, content text, source text, mime text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.detect_document_type(content text, source text, mime text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.detect_document_type(content text, source text, mime text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.disallow_source(collection text, tenant text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.disallow_source(collection text, tenant text) TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.doctor(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.doctor(who name, ticket bytea) TO rag_reader;

REVOKE ALL ON FUNCTION rag.doctor() FROM PUBLIC;
GRANT ALL ON FUNCTION rag.doctor() TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.drop_collection(who name, ticket bytea, name text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.drop_collection(who name, ticket bytea, name text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.drop_collection(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.drop_collection(name text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.drop_dataset(who name, ticket bytea, name text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.drop_dataset(who name, ticket bytea, name text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.drop_dataset(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.drop_dataset(name text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.drop_identity_key(who name, ticket bytea, kid text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.drop_identity_key(who name, ticket bytea, kid text) TO rag_admin;

REVOKE ALL ON FUNCTION rag.drop_identity_key(kid text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.drop_identity_key(kid text) TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.drop_model(who name, ticket bytea, name text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.drop_model(who name, ticket bytea, name text) TO rag_admin;

REVOKE ALL ON FUNCTION rag.drop_model(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.drop_model(name text) TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.drop_redaction_rule(who name, ticket bytea, collection text, name text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.drop_redaction_rule(who name, ticket bytea, collection text, name text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.drop_redaction_rule(collection text, name text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.drop_redaction_rule(collection text, name text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.drop_reranker(who name, ticket bytea, name text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.drop_reranker(who name, ticket bytea, name text) TO rag_admin;

REVOKE ALL ON FUNCTION rag.drop_reranker(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.drop_reranker(name text) TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.embed(who name, ticket bytea, texts text[], model text, kind text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.embed(who name, ticket bytea, texts text[], model text, kind text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.embed(texts text[], model text, kind text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.embed(texts text[], model text, kind text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.embed_claimed(who name, ticket bytea, claim_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.embed_claimed(who name, ticket bytea, claim_id uuid) TO rag_writer;

REVOKE ALL ON FUNCTION rag.embed_claimed(claim_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.embed_claimed(claim_id uuid) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.erase_content(who name, ticket bytea, pattern text, kind text, collections text[], dry_run boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.erase_content(who name, ticket bytea, pattern text, kind text, collections text[], dry_run boolean) TO rag_writer;

REVOKE ALL ON FUNCTION rag.erase_content(pattern text, kind text, collections text[], dry_run boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.erase_content(pattern text, kind text, collections text[], dry_run boolean) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.evaluate(who name, ticket bytea, token text, dataset text, strategies text[], settings jsonb, collections text[], top_k integer, save boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.evaluate(who name, ticket bytea, token text, dataset text, strategies text[], settings jsonb, collections text[], top_k integer, save boolean) TO rag_reader;

REVOKE ALL ON FUNCTION rag.evaluate(dataset text, strategies text[], settings jsonb, collections text[], top_k integer, save boolean, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.evaluate(dataset text, strategies text[], settings jsonb, collections text[], top_k integer, save boolean, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.explain_bm25(who name, ticket bytea, query text, document_id uuid, chunk_index integer, collections text[], token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.explain_bm25(who name, ticket bytea, query text, document_id uuid, chunk_index integer, collections text[], token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.explain_bm25(query text, document_id uuid, chunk_index integer, collections text[], token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.explain_bm25(query text, document_id uuid, chunk_index integer, collections text[], token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.explain_search(who name, ticket bytea, token text, request rag_internal.search_request) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.explain_search(who name, ticket bytea, token text, request rag_internal.search_request) TO rag_reader;

REVOKE ALL ON FUNCTION rag.explain_search(query text, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, skip integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, highlight boolean, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.explain_search(query text, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, skip integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, highlight boolean, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.fuzzy_search(query text, collections text[], top_k integer, filter jsonb, filter_path jsonpath, vars jsonb, skip integer, max_distance integer, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, highlight boolean, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.fuzzy_search(query text, collections text[], top_k integer, filter jsonb, filter_path jsonpath, vars jsonb, skip integer, max_distance integer, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, highlight boolean, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.readable_chunks(who name, ticket bytea, only_document uuid, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.readable_chunks(who name, ticket bytea, only_document uuid, token text) TO rag_reader;

GRANT SELECT ON TABLE rag.chunk TO rag_reader;

REVOKE ALL ON FUNCTION rag.get_chunks(document_id uuid, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.get_chunks(document_id uuid, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.readable_documents(who name, ticket bytea, only_document uuid, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.readable_documents(who name, ticket bytea, only_document uuid, token text) TO rag_reader;

GRANT SELECT ON TABLE rag.document TO rag_reader;

REVOKE ALL ON FUNCTION rag.get_document(document_id uuid, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.get_document(document_id uuid, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.change_readers(who name, ticket bytea, collection text, readers text[], document_ids uuid[], granted boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.change_readers(who name, ticket bytea, collection text, readers text[], document_ids uuid[], granted boolean) TO rag_writer;

REVOKE ALL ON FUNCTION rag.grant_read(collection text, reader text, document_id uuid, readers text[], document_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.grant_read(collection text, reader text, document_id uuid, readers text[], document_ids uuid[]) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.change_unredacted(who name, ticket bytea, collection text, reader text, granted boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.change_unredacted(who name, ticket bytea, collection text, reader text, granted boolean) TO rag_writer;

REVOKE ALL ON FUNCTION rag.grant_unredacted(collection text, reader text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.grant_unredacted(collection text, reader text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.change_writers(who name, ticket bytea, collection text, writers text[], granted boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.change_writers(who name, ticket bytea, collection text, writers text[], granted boolean) TO rag_writer;

REVOKE ALL ON FUNCTION rag.grant_write(collection text, writer text, writers text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.grant_write(collection text, writer text, writers text[]) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.ingest(who name, ticket bytea, collection text, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, embed text, security_level integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.ingest(who name, ticket bytea, collection text, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, embed text, security_level integer) TO rag_writer;

REVOKE ALL ON FUNCTION rag.ingest(collection text, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, embed text, security_level integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.ingest(collection text, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, embed text, security_level integer) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.ingest_chunks(who name, ticket bytea, collection text, chunks jsonb, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, embed text, security_level integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.ingest_chunks(who name, ticket bytea, collection text, chunks jsonb, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, embed text, security_level integer) TO rag_writer;

REVOKE ALL ON FUNCTION rag.ingest_chunks(collection text, chunks jsonb, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, embed text, security_level integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.ingest_chunks(collection text, chunks jsonb, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, embed text, security_level integer) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.ingest_many(who name, ticket bytea, collection text, documents jsonb, embed text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.ingest_many(who name, ticket bytea, collection text, documents jsonb, embed text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.ingest_many(collection text, documents jsonb, embed text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.ingest_many(collection text, documents jsonb, embed text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.list_collections() FROM PUBLIC;
GRANT ALL ON FUNCTION rag.list_collections() TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.list_datasets(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.list_datasets(who name, ticket bytea) TO rag_reader;

REVOKE ALL ON FUNCTION rag.list_datasets() FROM PUBLIC;
GRANT ALL ON FUNCTION rag.list_datasets() TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.list_evaluations(who name, ticket bytea, dataset text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.list_evaluations(who name, ticket bytea, dataset text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.list_evaluations(dataset text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.list_evaluations(dataset text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.list_identity_keys(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.list_identity_keys(who name, ticket bytea) TO rag_admin;

REVOKE ALL ON FUNCTION rag.list_identity_keys() FROM PUBLIC;
GRANT ALL ON FUNCTION rag.list_identity_keys() TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.list_readers(who name, ticket bytea, collection text, document_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.list_readers(who name, ticket bytea, collection text, document_id uuid) TO rag_writer;

REVOKE ALL ON FUNCTION rag.list_readers(collection text, document_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.list_readers(collection text, document_id uuid) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.list_redaction_rules(who name, ticket bytea, collection text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.list_redaction_rules(who name, ticket bytea, collection text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.list_redaction_rules(collection text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.list_redaction_rules(collection text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.list_sources(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.list_sources(who name, ticket bytea) TO rag_reader;

REVOKE ALL ON FUNCTION rag.list_sources() FROM PUBLIC;
GRANT ALL ON FUNCTION rag.list_sources() TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.log_ingest(who name, ticket bytea, run_id uuid, collection text, source text, outcome text, document_id uuid, chunks integer, detail text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.log_ingest(who name, ticket bytea, run_id uuid, collection text, source text, outcome text, document_id uuid, chunks integer, detail text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.log_ingest(run_id uuid, collection text, source text, outcome text, document_id uuid, chunks integer, detail text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.log_ingest(run_id uuid, collection text, source text, outcome text, document_id uuid, chunks integer, detail text) TO rag_writer;

REVOKE ALL ON PROCEDURE rag.maintain() FROM PUBLIC;
GRANT ALL ON PROCEDURE rag.maintain() TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.maintain_step(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.maintain_step(who name, ticket bytea) TO rag_writer;

REVOKE ALL ON FUNCTION rag.maintain_step() FROM PUBLIC;
GRANT ALL ON FUNCTION rag.maintain_step() TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.show_model_progress(who name, ticket bytea, collection text, model text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.show_model_progress(who name, ticket bytea, collection text, model text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.model_progress(collection text, model text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.model_progress(collection text, model text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.predict_chunk_value(who name, ticket bytea, content text, heading text[], kind text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.predict_chunk_value(who name, ticket bytea, content text, heading text[], kind text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.predict_chunk_value(content text, heading text[], kind text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.predict_chunk_value(content text, heading text[], kind text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.prepare_model(who name, ticket bytea, collection text, model text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.prepare_model(who name, ticket bytea, collection text, model text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.prepare_model(collection text, model text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.prepare_model(collection text, model text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.prune_search_log(who name, ticket bytea, older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.prune_search_log(who name, ticket bytea, older_than interval) TO rag_admin;

REVOKE ALL ON FUNCTION rag.prune_search_log(older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.prune_search_log(older_than interval) TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.rebuild_index(who name, ticket bytea, collection text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.rebuild_index(who name, ticket bytea, collection text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.rebuild_index(collection text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.rebuild_index(collection text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.release_model(who name, ticket bytea, collection text, model text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.release_model(who name, ticket bytea, collection text, model text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.release_model(collection text, model text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.release_model(collection text, model text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.rename_collection(who name, ticket bytea, name text, new_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.rename_collection(who name, ticket bytea, name text, new_name text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.rename_collection(name text, new_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.rename_collection(name text, new_name text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.rerank(who name, ticket bytea, query text, passages text[], model text, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.rerank(who name, ticket bytea, query text, passages text[], model text, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.rerank(query text, passages text[], model text, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.rerank(query text, passages text[], model text, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.resolve_citation(who name, ticket bytea, citation text, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.resolve_citation(who name, ticket bytea, citation text, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.resolve_citation(citation text, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.resolve_citation(citation text, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.retry_job(who name, ticket bytea, job_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.retry_job(who name, ticket bytea, job_id bigint) TO rag_writer;

REVOKE ALL ON FUNCTION rag.retry_job(job_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.retry_job(job_id bigint) TO rag_writer;

REVOKE ALL ON FUNCTION rag.revoke_read(collection text, reader text, document_id uuid, readers text[], document_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.revoke_read(collection text, reader text, document_id uuid, readers text[], document_ids uuid[]) TO rag_writer;

REVOKE ALL ON FUNCTION rag.revoke_unredacted(collection text, reader text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.revoke_unredacted(collection text, reader text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.revoke_write(collection text, writer text, writers text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.revoke_write(collection text, writer text, writers text[]) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.check_rankings(rankings jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.check_rankings(rankings jsonb) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.check_weights(weights jsonb, defaults jsonb, rrf_k integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.check_weights(weights jsonb, defaults jsonb, rrf_k integer) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.reciprocal_rank(weight double precision, rrf_k integer, rank bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.reciprocal_rank(weight double precision, rrf_k integer, rank bigint) TO rag_reader;

REVOKE ALL ON FUNCTION rag.rrf(rankings jsonb, weights jsonb, rrf_k integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.rrf(rankings jsonb, weights jsonb, rrf_k integer) TO rag_reader;

REVOKE ALL ON PROCEDURE rag.run_jobs(IN max_passages integer) FROM PUBLIC;
GRANT ALL ON PROCEDURE rag.run_jobs(IN max_passages integer) TO rag_writer;

REVOKE ALL ON PROCEDURE rag.scrub(IN timeout interval) FROM PUBLIC;
GRANT ALL ON PROCEDURE rag.scrub(IN timeout interval) TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.scrub_step(who name, ticket bytea, done text, deadline timestamp with time zone, holders text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.scrub_step(who name, ticket bytea, done text, deadline timestamp with time zone, holders text) TO rag_admin;

REVOKE ALL ON FUNCTION rag.scrub_step(done text, deadline timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.scrub_step(done text, deadline timestamp with time zone) TO rag_admin;

REVOKE ALL ON FUNCTION rag.search(query text, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, skip integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, highlight boolean, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.search(query text, collections text[], top_k integer, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, weights jsonb, rrf_k integer, skip integer, allow_degraded boolean, query_vector public.vector, hyde_vector public.vector, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, fusion text, candidates integer, min_score double precision, correct_typos boolean, max_distance integer, rerank text, rerank_candidates integer, rerank_optional boolean, min_relevance double precision, gate double precision, mmr_lambda double precision, collapse boolean, max_per_document integer, expand text, highlight boolean, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.search_multi(who name, ticket bytea, token text, request rag_internal.search_request, max_hops integer, threshold double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.search_multi(who name, ticket bytea, token text, request rag_internal.search_request, max_hops integer, threshold double precision) TO rag_reader;

REVOKE ALL ON FUNCTION rag.search_multi(query text, collections text[], top_k integer, max_hops integer, threshold double precision, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, rerank text, rerank_optional boolean, allow_degraded boolean, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.search_multi(query text, collections text[], top_k integer, max_hops integer, threshold double precision, strategy text, filter jsonb, filter_path jsonpath, vars jsonb, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, rerank text, rerank_optional boolean, allow_degraded boolean, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.search_status(who name, ticket bytea, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.search_status(who name, ticket bytea, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.search_status(token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.search_status(token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.semantic_search(query text, collections text[], top_k integer, filter jsonb, filter_path jsonpath, vars jsonb, skip integer, query_vector public.vector, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, highlight boolean, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.semantic_search(query text, collections text[], top_k integer, filter jsonb, filter_path jsonpath, vars jsonb, skip integer, query_vector public.vector, min_score double precision, min_updated_at timestamp with time zone, max_updated_at timestamp with time zone, as_of timestamp with time zone, include_archived boolean, highlight boolean, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.set_embeddings(who name, ticket bytea, document_id uuid, embeddings public.vector[], model text, content_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.set_embeddings(who name, ticket bytea, document_id uuid, embeddings public.vector[], model text, content_hash bytea) TO rag_writer;

REVOKE ALL ON FUNCTION rag.set_embeddings(document_id uuid, embeddings public.vector[], model text, content_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.set_embeddings(document_id uuid, embeddings public.vector[], model text, content_hash bytea) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.set_identity(who name, ticket bytea, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.set_identity(who name, ticket bytea, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.set_identity(token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.set_identity(token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.set_model(who name, ticket bytea, collection text, model text, allow_failed boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.set_model(who name, ticket bytea, collection text, model text, allow_failed boolean) TO rag_writer;

REVOKE ALL ON FUNCTION rag.set_model(collection text, model text, allow_failed boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.set_model(collection text, model text, allow_failed boolean) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.set_readers(who name, ticket bytea, collection text, readers text[], document_ids uuid[], security_level integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.set_readers(who name, ticket bytea, collection text, readers text[], document_ids uuid[], security_level integer) TO rag_writer;

REVOKE ALL ON FUNCTION rag.set_readers(collection text, readers text[], document_id uuid, security_level integer, document_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.set_readers(collection text, readers text[], document_id uuid, security_level integer, document_ids uuid[]) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.set_user(who name, ticket bytea, user_name text, groups text[], tenant text, clearance integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.set_user(who name, ticket bytea, user_name text, groups text[], tenant text, clearance integer) TO rag_service;

REVOKE ALL ON FUNCTION rag.set_user(user_name text, groups text[], tenant text, clearance integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.set_user(user_name text, groups text[], tenant text, clearance integer) TO rag_service;

REVOKE ALL ON FUNCTION rag.similarity(distance double precision, metric text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.similarity(distance double precision, metric text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.unload_model(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.unload_model(who name, ticket bytea) TO rag_reader;

REVOKE ALL ON FUNCTION rag.unload_model() FROM PUBLIC;
GRANT ALL ON FUNCTION rag.unload_model() TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.update_document(who name, ticket bytea, document_id uuid, title text, tags text[], metadata jsonb, status text, valid_from timestamp with time zone, valid_until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.update_document(who name, ticket bytea, document_id uuid, title text, tags text[], metadata jsonb, status text, valid_from timestamp with time zone, valid_until timestamp with time zone) TO rag_writer;

REVOKE ALL ON FUNCTION rag.update_document(document_id uuid, title text, tags text[], metadata jsonb, status text, valid_from timestamp with time zone, valid_until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.update_document(document_id uuid, title text, tags text[], metadata jsonb, status text, valid_from timestamp with time zone, valid_until timestamp with time zone) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.verify_index(who name, ticket bytea, collection text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.verify_index(who name, ticket bytea, collection text) TO rag_writer;

REVOKE ALL ON FUNCTION rag.verify_index(collection text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.verify_index(collection text) TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.wait_for(who name, ticket bytea, job_id bigint, timeout interval) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.wait_for(who name, ticket bytea, job_id bigint, timeout interval) TO rag_reader;

REVOKE ALL ON FUNCTION rag.wait_for(job_id bigint, timeout interval) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.wait_for(job_id bigint, timeout interval) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.whoami(who name, ticket bytea, token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.whoami(who name, ticket bytea, token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag.whoami(token text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag.whoami(token text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.add_embedding_partition(model rag_internal.model) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.analyzer_fingerprint(config text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.analyzer_stamp(text_config text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.analyzer_version() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.answer(retrieved rag_internal.retrieval) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.answer_key(request rag_internal.search_request, scope rag_internal.scope) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.matches_pattern(content text, pattern text, kind text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.any_matches(texts text[], pattern text, kind text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.attributes(document rag_internal.document) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.authenticate(who name, ticket bytea, token text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.best_score(hits rag.hit[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.bm25_leg(query text, scope rag_internal.scope, depth bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.bm25_terms(query text, scope rag_internal.scope, document_id uuid, chunk_index integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.build_segment(text_config text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.build_vector_index(model rag_internal.model) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.bury_abandoned(task rag_internal.embedding_task) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.bury_entry() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.new_id() FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.new_id() TO rag_writer;

REVOKE ALL ON FUNCTION rag_internal.bury_failed(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.bury_strays(collection_id bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.cached_answer(key bytea, request rag_internal.search_request, scope rag_internal.scope, OUT answer rag_internal.cached_answer, OUT route text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.can_do_without(leg text, request rag_internal.search_request, scope rag_internal.scope) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_chunking(strategy text, chunk_size integer, overlap integer, min_chunk_size integer, has_model boolean, min_value real) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_dataset(queries jsonb, judgments jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_document(document rag_internal.document) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_embed(embed text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_erasure_pattern(pattern text, kind text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_filter(filter jsonb, filter_path jsonpath, vars jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_grant(collection text, document_ids uuid[], readers text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_model(model rag_internal.model) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_model_change(before rag_internal.model, after rag_internal.model) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_model_options(options jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_name(name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_pattern(pattern text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_query(query text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_redaction_rule(rule rag_internal.redaction_rule) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_reranker(reranker rag_internal.reranker) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_reranker_options(options jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_search(request rag_internal.search_request) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_search_defaults(search_defaults jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_search_options(options jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_security_level(security_level integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_sources(identity rag_internal.identity, names text[], action text, is_real boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_text_weights(title_weight integer, heading_weight integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.check_vector(v public.vector, model rag_internal.model, what text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.choose_candidates(ranking rag_internal.leg_hit[], request rag_internal.search_request) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.chunk_counts(content text, starts integer[], ends integer[], kinds text[], token_counts integer[], settings jsonb, model rag_internal.model, source text, mime text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.chunking_for_ingest(collection rag_internal.collection, strategy text, chunk_size integer, overlap integer, min_chunk_size integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.citation(document_id uuid, chunk_index integer, content_hash bytea, content text, start_offset integer, end_offset integer, keyed boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.cited_span(document rag_internal.document, document_hash text, passage_hash text, start_offset integer, end_offset integer, is_redacted boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.collection_for_ingest(identity rag_internal.identity, name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.collection_info(identity rag_internal.identity, names text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.completed_request(request rag_internal.search_request, scope rag_internal.scope) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.context_hit(hit rag.hit) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.contributions(hits rag_internal.leg_hit[], request rag_internal.search_request, depth bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.correct_words(query text, scope rag_internal.scope) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.corrected_query(query text, scope rag_internal.scope, max_distance integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.create_collection(identity rag_internal.identity, name text, description text, readers text[], strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model text, text_config text, search_defaults jsonb, min_value real, title_weight integer, heading_weight integer, security_level integer, tenant text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.cut_spans(input text, spans rag_internal.redacted_span[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.default_weights(fusion text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.delete_documents(identity rag_internal.identity, document_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.derive_document() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.detector_pattern(name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.diagnose_models(identity rag_internal.identity) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.diagnose_rerankers(identity rag_internal.identity) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.diversify(ranking rag_internal.leg_hit[], lambda double precision, block bigint, reach bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.document_acl(collection rag_internal.collection, readers text[], security_level integer, stored rag_internal.acl) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.document_type(content text, source text, mime text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.draft_document(collection rag_internal.collection, content text, source text, title text, tags text[], metadata jsonb, readers text[], version text, language text, mime text, valid_from timestamp with time zone, valid_until timestamp with time zone, security_level integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.embed_chunks(chunks rag_internal.prepared_chunk[], collection rag_internal.collection, model rag_internal.model, embed text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.embed_hash(revision text, content text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.embed_passages(texts text[], model rag_internal.model) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.embed_query(query text, model rag_internal.model, asker text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.embed_texts(texts text[], kind text, model rag_internal.model) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.embed_waiting(document rag_internal.document, collection rag_internal.collection) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.engine_info() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.erasable_collections(identity rag_internal.identity, collections text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.erase_datasets(identity rag_internal.identity, removed rag.removal[], pattern text, kind text, dry_run boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.erase_entries(document_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.erase_errors(identity rag_internal.identity, job_ids bigint[], pattern text, kind text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.erase_logs(identity rag_internal.identity, document_ids uuid[], removed rag.removal[], pattern text, kind text, dry_run boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.evaluate_query(identity rag_internal.identity, question rag_internal.dataset_query, request rag_internal.search_request, rules rag_internal.redaction_rule[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.evaluation_request(identity rag_internal.identity, strategy text, settings jsonb, collections text[], top_k integer, has_excerpts boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.evaluation_stages(request rag_internal.search_request) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.expand_passage(document_id uuid, chunk_index integer, expand text, OUT content text, OUT start_offset integer, OUT end_offset integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.explain_hits(result rag_internal.retrieval) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.explain_scope(scope rag_internal.scope) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.find_model(name text, identity rag_internal.identity) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.find_passage(content text, hash text, length integer, place integer, secret bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.find_passages(search rag_internal.retrieval) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.find_reranker(name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.finish_jobs(job_ids bigint[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.first_depth(request rag_internal.search_request, places bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.follow_chunk() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.follow_document() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.follow_title() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.follow_up_terms(query text, texts text[], most integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.forget_answers(most bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.forget_searches(older_than interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.front_matter(content text, strategy text, source text, mime text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.fuse(hits rag_internal.leg_hit[], request rag_internal.search_request, depth bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.fuzzy_leg(query text, scope rag_internal.scope, depth bigint, max_distance integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.given_chunks(chunks jsonb, content text, model rag_internal.model) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.grantees(readers text[], tenant text, granted boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.has_rule(who name, role text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.highlight(content text, query text, text_config text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.hybrid_weights(weights jsonb, fusion text, rrf_k integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.identity_names(identity rag_internal.identity) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.index_differences(collection rag_internal.collection) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.index_document(document_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.index_text(title text, heading text[], content text, config text, title_weight integer, heading_weight integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.indexed_validity(status text, valid_from timestamp with time zone, valid_until timestamp with time zone, OUT starts timestamp with time zone, OUT ends timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.indexing_settings(collection rag_internal.collection, document rag_internal.document) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.ingested(document rag_internal.document, status text, chunks integer, job_id bigint, identity rag_internal.identity) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.intern_readers(principal_ids bigint[], tenant text, security_level smallint) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.is_blank(content text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.is_kept_by_snapshot() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.is_own_name(identity rag_internal.identity, collection rag_internal.collection) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.is_own_work(who name, ticket bytea, role_name name, role_oid oid, reader text, tenant text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.is_own_work(who name, ticket bytea, role_name name, role_oid oid, reader text, tenant text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.is_session_role(who name) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.iso_time(moment timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.json_texts(value jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.keep_answer(result rag_internal.retrieval) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.keep_up_index(document rag_internal.document) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.keyed_hash(input bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.known_collections(identity rag_internal.identity, collections rag_internal.collection[], is_named boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.known_models(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.known_models(who name, ticket bytea) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.known_rerankers(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.known_rerankers(who name, ticket bytea) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.lacks_vectors(scope rag_internal.scope) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.last_evaluation(identity rag_internal.identity, dataset rag_internal.dataset, strategy text, stage text, top_k integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.lead_of_bm25(hits rag_internal.leg_hit[], request rag_internal.search_request) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.leg_depth(places bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.legs_of(request rag_internal.search_request) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.letters_of(input text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.level_acl(collection rag_internal.collection, security_level smallint) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.lexical_scope(identity rag_internal.identity, collections text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.line_breaks(content text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.live_passages(scope rag_internal.scope, acls text, newest_only boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.load_engine() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.lock_collections(identity rag_internal.identity, document_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.log_search(result rag_internal.retrieval) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.marginal_relevance(scores double precision[], contents text[], vectors bytea[], trade double precision) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.marked_passage(content text, start_offset integer, query text, text_config text, OUT marked text, OUT matches jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.matching_documents(identity rag_internal.identity, collection_ids bigint[], pattern text, kind text, among uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.merge_hits(hits rag.hit[], weights double precision[], request rag_internal.search_request) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.merge_jobs(job_ids bigint[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.merge_segments(text_config text, most_passages integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.microseconds(moment timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.model_is_used(model_id integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.model_progress(collection rag_internal.collection, model_id integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.model_status(model rag_internal.model) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.near_words(misspelt text, variants text[], max_distance integer, fresh text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.nobody(who name, why text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.note_access_change() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.note_content_change() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.note_search_status(identity rag_internal.identity, status text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.noted_search_status(identity rag_internal.identity) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.own_collection(identity rag_internal.identity, name text, exclusive boolean, or_write boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.own_dataset(identity rag_internal.identity, name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.own_job(identity rag_internal.identity, job_id bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.own_principals(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.own_principals(who name, ticket bytea) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.owned_document(identity rag_internal.identity, document_id uuid, exclusive boolean, or_write boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.owner_for(identity rag_internal.identity) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.owner_name(owner rag_internal.principal) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.owns_collection(identity rag_internal.identity, collection rag_internal.collection) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.owns_work(role_name name, role_oid oid, reader text, tenant text, identity rag_internal.identity) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.owns_job(job rag_internal.job, identity rag_internal.identity) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.pack_terms(terms text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.parse_text(config text, folded text) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.parse_text(config text, folded text) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.parts_of(query text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.passage_value(content text, heading text[], kind text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.phrase_lexemes(phrase text, config text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.phrase_query(phrase text, config text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.plain_identity(who name) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.prefix_form(prefix text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.prepare_chunks(collection rag_internal.collection, document rag_internal.document, embed text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.principal_for(reader text, tenant text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.principal_key(reader text, tenant text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.principals_named(reader text, tenant text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.prune_words() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.purge_segment() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.qualified_names(name text, owner rag_internal.principal, tenant text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.query_parts(query text, now text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.question_condition(phrases text[], excluded text[], config text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.question_lexemes(question text, config text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.question_terms(query text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.question_vector(request rag_internal.search_request, scope rag_internal.scope) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.queue_embeddings(collection rag_internal.collection, document_id uuid, model_id integer, identity rag_internal.identity) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.ranking_scores(stage text, places bigint[], relevances integer[], wanted integer[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.read_citation(citation text, OUT document_id uuid, OUT chunk_index integer, OUT document_hash text, OUT passage_hash text, OUT start_offset integer, OUT end_offset integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.read_passages(search rag_internal.retrieval) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.read_question(query text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.readable_acls(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.readable_acls(who name, ticket bytea) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.readable_collections(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.readable_collections(who name, ticket bytea) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.readable_dead_letters(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.readable_dead_letters(who name, ticket bytea) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.readable_ingest_log(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.readable_ingest_log(who name, ticket bytea) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.readable_jobs(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.readable_jobs(who name, ticket bytea) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.readable_principals(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.readable_principals(who name, ticket bytea) TO rag_reader;

REVOKE ALL ON FUNCTION rag_internal.readable_search_log(who name, ticket bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rag_internal.readable_search_log(who name, ticket bytea) TO rag_admin;

REVOKE ALL ON FUNCTION rag_internal.reader_name(principal rag_internal.principal) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.reader_set(principal_ids bigint[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.record_failures(claim_id uuid, model rag_internal.model, chunk_ids bigint[], contents text[], outcomes rag_internal.embedded_text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.redact(rules rag_internal.redaction_rule[], input text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.redact_chunk(chunk rag_internal.chunk, redaction rag_internal.redaction) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.redact_document(document rag_internal.document) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.redact_hit(hit rag.hit, redaction rag_internal.redaction, content_hash bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.redact_hits(identity rag_internal.identity, hits rag.hit[], collection_ids bigint[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.redact_json(redaction rag_internal.redaction, input jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.redact_label(redaction rag_internal.redaction, label text, is_quoted boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.redact_labels(redaction rag_internal.redaction, labels text[], is_quoted boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.redact_passage(redaction rag_internal.redaction, content text, start_offset integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.redact_text(collection_ids bigint[], input text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.redacted_collections(identity rag_internal.identity) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.redacted_spans(rules rag_internal.redaction_rule[], input text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.redaction_of(document rag_internal.document, rules rag_internal.redaction_rule[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.redaction_rules(collection_ids bigint[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.reindex_document(document rag_internal.document, collection rag_internal.collection) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.removals(document_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.repetitions(pattern text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.replace_document(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[], embed text, identity rag_internal.identity) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.require_admin(identity rag_internal.identity, what text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.require_read_committed(what text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.require_visible_text(argument text, content text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.rerank_hits(ranking rag_internal.leg_hit[], query text, hits rag_internal.leg_hit[], request rag_internal.search_request, block bigint, OUT ranked rag_internal.leg_hit[], OUT scores rag_internal.leg_hit[], OUT notes text[], OUT step rag.search_step, OUT is_open boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.rerank_passages(query text, passages text[], model text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.reranker_status(reranker rag_internal.reranker) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.resplit_document() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.retrieve(identity rag_internal.identity, request rag_internal.search_request) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.retrieve_multi(identity rag_internal.identity, request rag_internal.search_request, max_hops integer, threshold double precision) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.retrieve_part(identity rag_internal.identity, request rag_internal.search_request, why text, max_hops integer, threshold double precision, may_change boolean, OUT hits rag.hit[], OUT weights double precision[], OUT steps rag.search_step[], OUT status text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.rewrite_table(name name) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.role_identity(who name) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.run_leg(leg text, query text, scope rag_internal.scope, depth bigint, max_distance integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.run_legs(request rag_internal.search_request, query text, scope rag_internal.scope, depth bigint, OUT hits rag_internal.leg_hit[], OUT notes text[], OUT steps rag.search_step[], OUT is_cut boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.score_passages(query text, passages text[], reranker rag_internal.reranker) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.search_collections(identity rag_internal.identity, names text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.search_defaults(scope rag_internal.scope) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.search_reach(request rag_internal.search_request, OUT block bigint, OUT reach bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.search_scope(identity rag_internal.identity, request rag_internal.search_request) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.search_stages(identity rag_internal.identity, request rag_internal.search_request) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.search_step(step text, route text, why text, passages bigint, started timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.seen_acls(scope rag_internal.scope) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.seen_leg_hits(statement text, scope rag_internal.scope, query_vector public.vector) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.seen_models(scope rag_internal.scope) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.seen_name(scope rag_internal.scope) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.sees_waiting(scope rag_internal.scope, live text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.semantic_leg(query_vector public.vector, model rag_internal.model, scope rag_internal.scope, conditions rag_internal.text_condition[], cut bigint, route text, OUT hits rag_internal.leg_hit[], OUT step rag.search_step) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.semantic_legs(query text, query_vector public.vector, scope rag_internal.scope, cut bigint, is_forgiving boolean, OUT hits rag_internal.leg_hit[], OUT notes text[], OUT steps rag.search_step[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.semantic_models(scope rag_internal.scope, collections bigint[], has_words boolean, query_vector public.vector, OUT asked rag_internal.model[], OUT unasked text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.semantic_statements(model rag_internal.model, cut bigint, reach bigint, enough bigint, mask text, exact_mask text, filters text, live text, OUT indexed text, OUT exact text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.service_identity(who name, own_tenant text, user_name text, groups text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.set_collection_readers(collection rag_internal.collection, readers text[], security_level integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.shared_collection(collection_id bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.shown_name(principal rag_internal.principal) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.shown_source(document rag_internal.document, rules rag_internal.redaction_rule[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.sight(scope rag_internal.scope, OUT passages bigint, OUT collection_ids bigint[], OUT text_configs text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.split_text(content text, strategy text, chunk_size integer, overlap integer, min_chunk_size integer, model rag_internal.model, source text, language text, mime text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.store_document(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[], embed text, identity rag_internal.identity) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.stored_identity_key(algorithm text, key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.strategy_named(name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.surface_forms(content text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.surface_text(title text, heading text[], content text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.sweep_tombstones() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.text_array(items jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.text_config_for(language text, default_config text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.token_identity(who name, claims jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.touch_collection(collection_id bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.unload_models() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.usable_model(name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.user_principals(user_name text, groups text[], tenant text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.vector_form(model rag_internal.model, OUT stored_in text, OUT ranked text, OUT ranked_by text, OUT indexed text, OUT indexed_by text, OUT operators text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.verified_claims(token text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.visible_acls(identity rag_internal.identity, among bigint[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.visible_collections(identity rag_internal.identity, names text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.warn_of_statistics() FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.with_model_options(model rag_internal.model, options jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.withhold(rules rag_internal.redaction_rule[], input text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.words_skipped(content text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.write_chunks(document rag_internal.document, collection rag_internal.collection, chunks rag_internal.prepared_chunk[], identity rag_internal.identity) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.write_context(question text, hits jsonb, max_tokens integer, templates text[], model rag_internal.model) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.write_embeddings(model rag_internal.model, chunk_ids bigint[], contents text[], outcomes rag_internal.embedded_text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rag_internal.writes_collection(identity rag_internal.identity, collection rag_internal.collection) FROM PUBLIC;

GRANT SELECT ON TABLE rag.collection TO rag_reader;

GRANT SELECT ON TABLE rag.dead_letter TO rag_reader;

GRANT SELECT ON TABLE rag.ingest_log TO rag_reader;

GRANT SELECT ON TABLE rag.job_status TO rag_reader;

GRANT SELECT ON TABLE rag.model TO rag_reader;

GRANT SELECT ON TABLE rag.principal TO rag_reader;

GRANT SELECT ON TABLE rag.reranker TO rag_reader;

GRANT SELECT ON TABLE rag.search_log TO rag_admin;

GRANT SELECT ON TABLE rag_internal.alembic_version TO rag_owner;

GRANT SELECT ON TABLE rag_internal.setting TO rag_owner;
