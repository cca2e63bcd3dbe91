-- Models of every provider, the queue of passages that wait for a vector, and more than one model
-- for a collection.

-- models ------------------------------------------------------------------------------------------
alter table rag_internal.model
    drop constraint model_provider_is_known,
    drop constraint model_dimensions_in_range,
    alter column max_tokens drop not null,
    add column endpoints            jsonb    not null default '[]',
    add column storage              text     not null default 'halfvec',
    add column quantization         text     not null default 'none',
    add column hnsw_m               smallint not null default 16,
    add column hnsw_ef_construction smallint not null default 64,  -- of the indexes there are
    add column hnsw_ef_search       smallint not null default 100,
    add column long_input           text     not null default 'average',
    add constraint model_provider_is_known
        check (provider in ('fastembed', 'openai', 'external')),
    -- what the vector types of pgvector hold
    add constraint model_dimensions_in_range check (dimensions between 1 and 16000),
    add constraint model_endpoints_are_array check (jsonb_typeof(endpoints) = 'array'),
    add constraint model_storage_is_known check (storage in ('halfvec', 'vector')),
    add constraint model_quantization_is_known check (quantization in ('none', 'binary')),
    -- the bounds of pgvector's own options
    add constraint model_hnsw_m_in_range check (hnsw_m between 2 and 100),
    add constraint model_hnsw_ef_construction_in_range
        check (hnsw_ef_construction between 4 and 1000),
    add constraint model_hnsw_ef_construction_fits_m
        check (hnsw_ef_construction >= 2 * hnsw_m),
    add constraint model_hnsw_ef_search_in_range check (hnsw_ef_search between 1 and 1000),
    add constraint model_long_input_is_known check (long_input in ('average', 'error'));
alter table rag_internal.model alter column hnsw_ef_construction set default 128;
comment on column rag_internal.model.max_tokens is
    'The window, special tokens included; null: not known, and the provider answers for it.';
comment on column rag_internal.model.endpoints is
    'Where the provider openai is reached, in order of preference: objects with url and what '
    'rag.add_model tells. Names of environment variables, never keys.';
comment on column rag_internal.model.storage is
    'Type of its vectors: halfvec (rag_internal.embedding.v) or vector (full_v).';
comment on column rag_internal.model.quantization is
    'binary: the index holds one bit for each dimension, and what it finds is ranked by the '
    'stored vectors.';
comment on column rag_internal.model.long_input is
    'What becomes of a text beyond the window: the average of its windows, or an error.';

alter table rag_internal.embedding
    add column full_v @extschema:vector@.vector,
    alter column v drop not null,
    -- a model has one type of vectors
    add constraint embedding_has_one_vector check (num_nonnulls(v, full_v) = 1);
comment on column rag_internal.embedding.embed_hash is
    'SHA-256 of model revision, kind and exact text: equal text of one owner is embedded once.';
comment on column rag_internal.embedding.full_v is
    'The vector of a model whose storage is vector; v holds those of the others.';

create table rag_internal.collection_model (
    collection_id bigint  not null references rag_internal.collection on delete cascade,
    model_id      integer not null references rag_internal.model,
    primary key (collection_id, model_id)
);
create index collection_model_model_id on rag_internal.collection_model (model_id);
comment on table rag_internal.collection_model is
    'Further models whose vectors a collection keeps beside those it is searched by: the one it is '
    'to change to, or the one it had.';

-- the queue ---------------------------------------------------------------------------------------
drop view rag.job;
drop function rag_internal.readable_jobs(name, bytea);
alter table rag_internal.job
    drop constraint job_status_is_known,
    drop column payload,
    drop column attempts,
    drop column run_after,
    drop column lease_until,
    add column total integer not null default 0,
    add constraint job_status_is_known
        check (status in ('queued', 'running', 'done', 'failed', 'cancelled'));
create index job_open on rag_internal.job (created_at) where status in ('queued', 'running');
comment on table rag_internal.job is
    'Background work as its caller knows it: total passages, each a row of '
    'rag_internal.embedding_task until it has its vector.';

create table rag_internal.embedding_task (
    model_id      integer not null references rag_internal.model,
    chunk_id      bigint not null references rag_internal.chunk on delete cascade,
    job_id        bigint references rag_internal.job on delete cascade,
    acl_id        bigint not null,
    collection_id bigint not null,
    attempts      smallint not null default 0,
    run_after     timestamptz not null default now(),
    claim_id      uuid,
    is_dead       boolean not null default false,
    error         text,
    failed_at     timestamptz,
    primary key (model_id, chunk_id),
    constraint embedding_task_dead_is_unclaimed check (not is_dead or claim_id is null),
    constraint embedding_task_dead_has_error check (not is_dead or error is not null)
);
create index embedding_task_chunk_id on rag_internal.embedding_task (chunk_id);
create index embedding_task_job_id on rag_internal.embedding_task (job_id);
create index embedding_task_claim_id on rag_internal.embedding_task (claim_id)
    where claim_id is not null;
create index embedding_task_run_after on rag_internal.embedding_task (run_after)
    where not is_dead;
create index embedding_task_scope on rag_internal.embedding_task (collection_id, acl_id);
alter table rag_internal.embedding_task
    set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
comment on table rag_internal.embedding_task is
    'A passage that waits for its vector under a model; gone when it has it. job_id null: the '
    'vector is to be given, since the model is external. Nobody works on it before run_after; a '
    'claim puts that off, so that what a killed worker claimed returns by itself. attempts are '
    'counted by claims. is_dead: given up, kept with its error.';

create table rag_internal.provider_pause (
    model_id integer primary key references rag_internal.model on delete cascade,
    until    timestamptz not null,
    failures integer not null default 0,
    reason   text not null
);
comment on table rag_internal.provider_pause is
    'Models whose provider is out of reach or asked to wait: until then nothing is claimed for '
    'them, and no passage is charged with an attempt.';

create type rag_internal.embedded_text as (
    number            integer,
    v                 @extschema:vector@.vector,
    error             text,
    hint              text,
    is_provider_fault boolean,
    retry_after       double precision
);
comment on type rag_internal.embedded_text is
    'What became of the text of that number, from 1: a unit vector, or an error, which is the '
    'provider''s fault or the text''s. retry_after: seconds that the provider asked to wait.';

alter type rag_internal.prepared_chunk alter attribute v type @extschema:vector@.vector;
alter type rag_internal.prepared_chunk add attribute error text;

do $$
declare
    _name text;
begin
    foreach _name in array array['collection_model', 'embedding_task', 'provider_pause']
    loop
        execute format('alter table rag_internal.%I owner to rag_owner', _name);
        execute format('alter table rag_internal.%I enable row level security', _name);
    end loop;
    alter type rag_internal.embedded_text owner to rag_owner;
end
$$;

create type rag.model_progress as (
    model       text,
    is_searched boolean,
    passages    bigint,
    embedded    bigint,
    waiting     bigint,
    failed      bigint
);
comment on type rag.model_progress is
    'How many passages of a collection have a vector under a model, wait for it, or were given up.';
alter type rag.model_progress owner to rag_owner;

create type rag.recall_check as (
    queries integer,
    recall  double precision,
    at      integer
);
comment on type rag.recall_check is
    'How many passages were searched for, and the share of their at nearest that was found.';
alter type rag.recall_check owner to rag_owner;

-- signatures that changed -----------------------------------------------------------------------
drop function rag.ingest(text, text, text, text, text[], jsonb, text[], text, text, text,
    timestamptz, timestamptz, text, integer, integer, integer);
drop function rag.ingest_many(text, jsonb);
drop function rag_internal.ingest(name, bytea, text, text, text, text, text[], jsonb, text[],
    text, text, text, timestamptz, timestamptz, text, integer, integer, integer);
drop function rag_internal.ingest_many(name, bytea, text, jsonb);
drop function rag_internal.prepare_chunks(rag_internal.collection, rag_internal.document);
drop function rag_internal.write_chunks(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[]);
drop function rag_internal.replace_document(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[]);
drop function rag_internal.ingested(rag_internal.document, text, integer);
drop function rag_internal.reclass_document(uuid, bigint);
-- of the registry and the search
drop function rag_internal.find_model(text);
drop function rag.search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb, integer,
    integer, boolean);
drop function rag.semantic_search(text, text[], integer, jsonb, jsonpath, jsonb, integer);
drop function rag.bm25_search(text, text[], integer, jsonb, jsonpath, jsonb, integer);
drop function rag.fuzzy_search(text, text[], integer, jsonb, jsonpath, jsonb, integer);
drop function rag_internal.search(name, bytea, text, text[], integer, text, jsonb, jsonpath, jsonb,
    jsonb, integer, integer, boolean);
drop function rag_internal.semantic_legs(text, rag_internal.scope, bigint);
drop function rag_internal.semantic_leg(@extschema:vector@.vector, rag_internal.model,
    rag_internal.scope, rag_internal.text_condition[], bigint);
drop function rag_internal.add_embedding_partition(rag_internal.model, text);
