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

alter type rag_internal.retrieval add attribute status text cascade;
alter type rag_internal.retrieval add attribute request rag_internal.search_request cascade;
alter type rag_internal.retrieval add attribute leg_hits rag_internal.leg_hit[] cascade;

alter type rag_internal.scope add attribute as_of timestamptz cascade;
alter type rag_internal.scope add attribute include_archived boolean cascade;
alter type rag_internal.scope add attribute min_updated_at timestamptz cascade;
alter type rag_internal.scope add attribute max_updated_at timestamptz cascade;

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
    context text,
    tokens  integer,
    status  text,
    sources jsonb
);
comment on type rag.context_result is
    'A prompt made of passages, and how many tokens it has. status: that of the search, or no room '
    'where passages were found and none fits. sources: what its numbers stand for.';

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
