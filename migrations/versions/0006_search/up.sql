-- Everything between a question and trustworthy evidence.

-- what is asked ----------------------------------------------------------------------------------
create type rag_internal.search_request as (
    query             text,
    query_vector      @extschema:vector@.vector,
    hyde_vector       @extschema:vector@.vector,
    collections       text[],
    top_k             integer,
    skip              integer,
    strategy          text,
    filter            jsonb,
    filter_path       jsonpath,
    vars              jsonb,
    min_updated_at    timestamptz,
    max_updated_at    timestamptz,
    as_of             timestamptz,
    include_archived  boolean,
    weights           jsonb,
    rrf_k             integer,
    fusion            text,
    candidates        integer,
    min_score         double precision,
    correct_typos     boolean,
    max_distance      integer,
    rerank            text,
    rerank_candidates integer,
    rerank_optional   boolean,
    min_relevance     double precision,
    gate              double precision,
    mmr_lambda        double precision,
    collapse          boolean,
    max_per_document  integer,
    expand            text,
    highlight         boolean,
    bm25_lead         double precision,
    close_similarity  double precision,
    cache             jsonb,
    allow_degraded    boolean
);
comment on type rag_internal.search_request is
    'The arguments of rag.search. Null: what the collections'' search_defaults say, else the '
    'built-in.';
alter type rag_internal.search_request owner to rag_owner;

-- what is answered -------------------------------------------------------------------------------
alter type rag.hit add attribute version text cascade;
alter type rag.hit add attribute matches jsonb cascade;
alter type rag.hit add attribute expanded text cascade;
alter type rag.hit add attribute expanded_start integer cascade;
alter type rag.hit add attribute expanded_end integer cascade;

alter type rag.search_step add attribute rank integer cascade;
alter type rag.search_step add attribute score double precision cascade;
alter type rag.search_step add attribute share double precision cascade;
alter type rag.search_step add attribute document_id uuid cascade;
alter type rag.search_step add attribute chunk_index integer cascade;
alter type rag.search_step add attribute detail jsonb cascade;

alter type rag_internal.scope add attribute search_id bigint cascade;
alter type rag_internal.scope add attribute as_of timestamptz cascade;
alter type rag_internal.scope add attribute include_archived boolean cascade;
alter type rag_internal.scope add attribute min_updated_at timestamptz cascade;
alter type rag_internal.scope add attribute max_updated_at timestamptz cascade;

alter type rag_internal.retrieval add attribute status text cascade;
alter type rag_internal.retrieval add attribute request rag_internal.search_request cascade;
alter type rag_internal.retrieval add attribute answer_key bytea cascade;
alter type rag_internal.retrieval add attribute scope rag_internal.scope cascade;
alter type rag_internal.retrieval add attribute query text cascade;
alter type rag_internal.retrieval add attribute degraded text[] cascade;
alter type rag_internal.retrieval add attribute depth bigint cascade;
alter type rag_internal.retrieval add attribute is_redacted boolean cascade;
alter type rag_internal.retrieval add attribute ranking rag_internal.leg_hit[] cascade;
alter type rag_internal.retrieval add attribute leg_hits rag_internal.leg_hit[] cascade;

-- versions of a source ---------------------------------------------------------------------------
-- Without a version nothing has siblings: a search asks this index whether there is any.
create index document_versioned on rag_internal.document (collection_id) where version <> '';
create index document_updated_at on rag_internal.document (updated_at);
comment on column rag_internal.pending.valid_from is
    'Of an archived document valid_until, and the other way round: it is never within that.';
comment on column rag_internal.segment.valid_from is
    'Microseconds since 1970; see pending.valid_from for archived documents.';

-- rerankers ---------------------------------------------------------------------------------------
create table rag_internal.reranker (
    name       text collate "C" primary key,
    provider   text not null default 'fastembed',
    revision   text not null default '',
    max_tokens integer,
    endpoints  jsonb not null default '[]',
    scores     text not null default 'logit',
    is_default boolean not null default false,
    created_at timestamptz not null default now(),
    constraint reranker_provider_is_known check (provider in ('fastembed', 'http')),
    -- names travel in error messages
    constraint reranker_name_is_short check (length(name) <= 200),
    -- a question and a passage share it
    constraint reranker_window_has_room check (max_tokens >= 64),
    constraint reranker_endpoints_are_array check (jsonb_typeof(endpoints) = 'array'),
    constraint reranker_scores_are_known check (scores in ('logit', 'probability'))
);
create unique index reranker_default on rag_internal.reranker (is_default) where is_default;
comment on table rag_internal.reranker is
    'Models that read a question and a passage together and score the pair.';
comment on column rag_internal.reranker.max_tokens is
    'The window of question and passage together, special tokens included; null: not known.';
comment on column rag_internal.reranker.endpoints is
    'Where the provider http is reached, in order of preference. Names of environment variables, '
    'never keys.';
comment on column rag_internal.reranker.scores is
    'What the provider gives: probability, or logit, which becomes one by the logistic function.';
-- few rows: no statistics of texts are needed
alter table rag_internal.reranker
    alter column name set statistics 0,
    alter column provider set statistics 0,
    alter column revision set statistics 0,
    alter column endpoints set statistics 0,
    alter column scores set statistics 0;
alter table rag_internal.reranker owner to rag_owner;
alter table rag_internal.reranker enable row level security;

create type rag.reranked as (
    rank  integer,
    index integer,
    score double precision
);
comment on type rag.reranked is
    'A passage by its relevance to a query: index is its place in what was given, from 1; score '
    'the probability that it is relevant.';
alter type rag.reranked owner to rag_owner;

-- passages as they are shown ---------------------------------------------------------------------
create type rag_internal.highlighted as (
    matches integer[],
    marked  text
);
comment on type rag_internal.highlighted is
    'Where a query matches a text: start and end of each match in turn, in characters from 0, end '
    'exclusive; and the text as HTML with <mark>...</mark> around them.';

create type rag.resolved_citation as (
    status       text,
    document_id  uuid,
    chunk_index  integer,
    collection   text,
    source       text,
    version      text,
    title        text,
    content      text,
    start_offset integer,
    end_offset   integer,
    start_line   integer,
    end_line     integer,
    page         integer
);
comment on type rag.resolved_citation is
    'What a citation stands for now. status: current (the text stands where it stood), moved '
    '(elsewhere in the document) or changed (it is gone; the rest of the row is the passage that '
    'stands in its place).';

create type rag.context_result as (
    context  text,
    tokens   integer,
    status   text,
    sources  jsonb,
    degraded text[]
);
comment on type rag.context_result is
    'A prompt made of passages, and how many tokens it has. status: that of the search, or no room '
    'where passages were found and none fits. sources: what its numbers stand for. degraded: what '
    'was done without.';

do $$
declare
    _name text;
begin
    foreach _name in array array['rag.context_result', 'rag.resolved_citation',
                                 'rag_internal.highlighted']
    loop
        execute format('alter type %s owner to rag_owner', _name);
    end loop;
end
$$;

-- questions, taken apart --------------------------------------------------------------------------
create type rag.query_part as (
    part           integer,
    query          text,
    strategy       text,
    excluded       text[],
    min_updated_at timestamptz,
    max_updated_at timestamptz,
    reason         text
);
comment on type rag.query_part is
    'What one search has to look for: query in the syntax of queries, with what is excluded in it.';
alter type rag.query_part owner to rag_owner;

-- what searches are judged by ---------------------------------------------------------------------
create table rag_internal.dataset (
    dataset_id  bigint primary key default rag_internal.new_id(),
    name        text collate "C" not null,
    tenant      text collate "C" not null default '',
    owner_id    bigint not null references rag_internal.principal,
    description text,
    collections text[],
    fingerprint bytea not null,
    created_at  timestamptz not null default clock_timestamp(),
    updated_at  timestamptz not null default clock_timestamp(),
    constraint dataset_name_key unique (tenant, owner_id, name)
);
create index dataset_owner_id on rag_internal.dataset (owner_id);
comment on table rag_internal.dataset is
    'Questions with judged answers. collections: where they are asked (null: wherever who '
    'evaluates may read). fingerprint: SHA-256 of questions and judgments.';

create table rag_internal.dataset_query (
    dataset_id bigint not null references rag_internal.dataset on delete cascade,
    query_id   text collate "C" not null,
    query      text not null,
    primary key (dataset_id, query_id)
);
comment on table rag_internal.dataset_query is 'The questions of a dataset.';

create table rag_internal.judgment (
    judgment_id  bigint primary key default rag_internal.new_id(),
    dataset_id   bigint not null,
    query_id     text collate "C" not null,
    collection   text collate "C",
    source       text not null,
    start_offset integer,
    end_offset   integer,
    relevance    integer not null,
    foreign key (dataset_id, query_id) references rag_internal.dataset_query on delete cascade,
    -- 2^relevance is what a document gains
    constraint judgment_relevance_in_range check (relevance between 0 and 30),
    constraint judgment_excerpt_has_both_ends
        check ((start_offset is null) = (end_offset is null)),
    constraint judgment_excerpt_is_not_empty check (0 <= start_offset and start_offset < end_offset)
);
create index judgment_query_id on rag_internal.judgment (dataset_id, query_id);
comment on table rag_internal.judgment is
    'How well a document, or an excerpt of it (characters of its content, end exclusive), answers '
    'a question; collection null: whichever has the source.';

create table rag_internal.evaluation (
    run_id       bigint not null,
    strategy     text not null,
    stage        text not null,
    stage_number integer not null,
    dataset_id   bigint not null references rag_internal.dataset on delete cascade,
    evaluated_at timestamptz not null,
    reader       text,
    tenant       text collate "C" not null,
    collections  text[],
    settings     jsonb not null,
    top_k        integer not null,
    fingerprint  bytea not null,
    queries      integer not null,
    answered     integer not null,
    ndcg_10      double precision,
    mrr_10       double precision,
    recall_5     double precision not null,
    recall_20    double precision not null,
    recall_50    double precision not null,
    primary key (run_id, strategy, stage)
);
create index evaluation_dataset_id on rag_internal.evaluation (dataset_id, evaluated_at);
comment on table rag_internal.evaluation is
    'What rag.evaluate found and kept, by strategy and stage. reader and tenant: who asked; others '
    'see other passages. fingerprint: the dataset as it was.';

-- texts have no planner statistics: they would be copies of what may have to be erased
alter table rag_internal.dataset
    alter column name set statistics 0, alter column description set statistics 0,
    alter column collections set statistics 0, alter column fingerprint set statistics 0;
alter table rag_internal.dataset_query
    alter column query_id set statistics 0, alter column query set statistics 0;
alter table rag_internal.judgment
    alter column query_id set statistics 0, alter column collection set statistics 0,
    alter column source set statistics 0;
alter table rag_internal.evaluation
    alter column strategy set statistics 0, alter column stage set statistics 0,
    alter column reader set statistics 0, alter column collections set statistics 0,
    alter column settings set statistics 0, alter column fingerprint set statistics 0;

do $$
declare
    _name text;
begin
    foreach _name in array array['dataset', 'dataset_query', 'judgment', 'evaluation'] loop
        execute format('alter table rag_internal.%I owner to rag_owner', _name);
        execute format('alter table rag_internal.%I enable row level security', _name);
    end loop;
end
$$;

create type rag.dataset_info as (
    name        text,
    owner       text,
    description text,
    collections text[],
    queries     integer,
    judgments   integer,
    created_at  timestamptz,
    updated_at  timestamptz
);
comment on type rag.dataset_info is 'A dataset, and how much is in it.';
alter type rag.dataset_info owner to rag_owner;

create type rag.evaluation as (
    strategy  text,
    stage     text,
    queries   integer,
    answered  integer,
    ndcg_10   double precision,
    mrr_10    double precision,
    recall_5  double precision,
    recall_20 double precision,
    recall_50 double precision,
    last      jsonb
);
comment on type rag.evaluation is
    'How well a stage of a strategy ranks: means over the queries that have an answer. answered: '
    'for how many it found anything. last: evaluated_at, settings and the same means of the run '
    'before, null where there is none.';
alter type rag.evaluation owner to rag_owner;

create type rag.evaluation_run as (
    dataset      text,
    run_id       bigint,
    evaluated_at timestamptz,
    identity     text,
    collections  text[],
    settings     jsonb,
    top_k        integer,
    strategy     text,
    stage        text,
    queries      integer,
    answered     integer,
    ndcg_10      double precision,
    mrr_10       double precision,
    recall_5     double precision,
    recall_20    double precision,
    recall_50    double precision
);
comment on type rag.evaluation_run is
    'What rag.evaluate found and kept: who asked where, with which settings, and rag.evaluation.';
alter type rag.evaluation_run owner to rag_owner;

create type rag_internal.stage_hit as (
    stage       text,
    place       bigint,
    document_id uuid,
    chunk_index integer
);
comment on type rag_internal.stage_hit is 'Where a passage stands in the ranking of a stage.';
alter type rag_internal.stage_hit owner to rag_owner;

create type rag_internal.stage_score as (
    stage     text,
    ndcg_10   double precision,
    mrr_10    double precision,
    recall_5  double precision,
    recall_20 double precision,
    recall_50 double precision
);
comment on type rag_internal.stage_score is 'The measures of the ranking of one stage.';
alter type rag_internal.stage_score owner to rag_owner;

-- answers that are kept ---------------------------------------------------------------------------
create table rag_internal.content_change (
    collection_id bigint not null references rag_internal.collection on delete cascade,
    stamp         numeric not null
);
create index content_change_collection_id on rag_internal.content_change (collection_id);
comment on table rag_internal.content_change is
    'Random stamps, one for each statement that changed documents or vectors of a collection whose '
    'answers are kept. Their sum is another one after each.';

create table rag_internal.cached_answer (
    answer_id      bigint primary key default rag_internal.new_id(),
    key            bytea not null,
    question_hash  bytea not null,
    question_terms bytea,
    query_vector   @extschema:vector@.vector,
    collection_ids bigint[] not null,
    status         text not null,
    ranking        rag_internal.leg_hit[] not null,
    leg_hits       rag_internal.leg_hit[] not null,
    expires_at     timestamptz not null
);
-- not unique: one who keeps an answer would wait for another who does
create index cached_answer_key on rag_internal.cached_answer (key);
create index cached_answer_expires_at on rag_internal.cached_answer (expires_at);
alter table rag_internal.cached_answer
    alter column key set statistics 0, alter column question_hash set statistics 0,
    alter column question_terms set statistics 0, alter column query_vector set statistics 0,
    alter column ranking set statistics 0, alter column leg_hits set statistics 0;
comment on table rag_internal.cached_answer is
    'Which passages answered a question, in order; never their texts. key: of everything that the '
    'answer depends on but the question itself, the identity that asked and what it sees among it. '
    'question_terms: of the words that no other word can stand for; null where only the very same '
    'question may have the answer.';

do $$
declare
    _name text;
begin
    foreach _name in array array['content_change', 'cached_answer'] loop
        execute format('alter table rag_internal.%I owner to rag_owner', _name);
        execute format('alter table rag_internal.%I enable row level security', _name);
    end loop;
end
$$;

-- other arguments
drop function rag.bm25_search(text, text[], integer, jsonb, jsonpath, jsonb, integer, text);
drop function rag.explain_search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb,
    integer, integer, boolean, @extschema:vector@.vector, text);
drop function rag.fuzzy_search(text, text[], integer, jsonb, jsonpath, jsonb, integer, text);
drop function rag.search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb, integer,
    integer, boolean, @extschema:vector@.vector, text);
drop function rag.semantic_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    @extschema:vector@.vector, text);
drop function rag_internal.check_search(text, @extschema:vector@.vector, text, integer, integer);
drop function rag_internal.default_weights();
drop function rag_internal.explain_search(name, bytea, text, text, text[], integer, text, jsonb,
    jsonpath, jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector);
drop function rag_internal.fuse(rag_internal.leg_hit[], jsonb, integer, bigint);
drop function rag_internal.fuzzy_leg(text, rag_internal.scope, bigint);
drop function rag_internal.hydrate(rag_internal.leg_hit[], rag_internal.leg_hit[],
    rag_internal.scope, text[], bigint, integer);
drop function rag_internal.legs_of(text);
drop function rag_internal.log_search(rag_internal.retrieval, text, text[]);
drop function rag_internal.retrieve(rag_internal.identity, text, text[], integer, text, jsonb,
    jsonpath, jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector);
drop function rag_internal.run_leg(text, text, rag_internal.scope, bigint);
drop function rag_internal.search(name, bytea, text, text, text[], integer, text, jsonb, jsonpath,
    jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector);
drop function rag_internal.sees_waiting(rag_internal.scope);
drop function rag_internal.semantic_statements(rag_internal.model, bigint, bigint, bigint, text,
    text, text);
