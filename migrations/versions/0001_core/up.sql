-- The core of ragsql: roles, tables and types. Functions, views and policies follow from sql/.
-- Run by a superuser: PL/Python functions can be created by nobody else.

-- roles ---------------------------------------------------------------------------------------
-- Cluster-wide, so they outlive a downgrade: another database of the cluster may use them.
do $$
declare
    _role text;
begin
    foreach _role in array
        array['rag_owner', 'rag_admin', 'rag_writer', 'rag_reader', 'rag_service']
    loop
        if not exists (select from pg_catalog.pg_roles where rolname = _role) then
            execute format('create role %I nologin', _role);
        end if;
    end loop;
    if exists (select from pg_catalog.pg_roles
               where rolname = 'rag_owner' and (rolsuper or rolbypassrls or rolcanlogin)) then
        raise exception using
            errcode = '42501',
            message = 'role rag_owner exists and can log in, bypass row security or is a superuser',
            hint    = 'alter role rag_owner nologin nosuperuser nobypassrls; then migrate again.';
    end if;
end
$$;
grant rag_reader to rag_writer;
grant rag_writer to rag_admin;

-- schemas -------------------------------------------------------------------------------------
-- Both belong to the migrating superuser: whoever owns a schema may drop what is in it, and
-- rag_internal.setting decides which code the server runs.
create schema rag;
create schema if not exists rag_internal;
comment on schema rag is 'ragsql: what applications call and read.';
comment on schema rag_internal is
    'ragsql: storage and helpers; closed to every caller. Content is read through the views of '
    'schema rag, whose functions answer with rows that the caller may read: on the tables '
    'themselves a plan would tell of the others, even behind row security (how many rows it '
    'removed, whether a policy was asked at all).';
revoke all on schema rag, rag_internal from public;
grant usage on schema rag to rag_reader, rag_owner;
grant usage, create on schema rag_internal to rag_owner;
grant usage on schema @extschema:vector@, @extschema:pg_trgm@ to rag_owner, rag_reader;
grant select on rag_internal.alembic_version to rag_owner;

-- ids -----------------------------------------------------------------------------------------
create function rag_internal.new_id() returns bigint
language sql volatile parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select hashtextextended(gen_random_uuid()::text, 0)
$$;
comment on function rag_internal.new_id() is
    'A random 64-bit id. Internal ids are random because a sequence counts what its reader cannot '
    'see.';
alter function rag_internal.new_id() owner to rag_owner;
revoke all on function rag_internal.new_id() from public;
grant execute on function rag_internal.new_id() to rag_writer;

-- settings and secrets ------------------------------------------------------------------------
create table rag_internal.setting (
    name  text collate "C" primary key,
    value text not null
);
comment on table rag_internal.setting is
    'Settings of this database. python_path (folders put before sys.path, parted by the path '
    'separator) and model_path (folder of the models) decide what code the server runs, so only '
    'a superuser writes here.';
grant select on rag_internal.setting to rag_owner;

create table rag_internal.ticket_key (
    only_row boolean primary key default true check (only_row),
    secret   bytea not null
);
comment on table rag_internal.ticket_key is
    'The secret that makes the tickets of rag_internal.caller.';
insert into rag_internal.ticket_key (secret)
values (sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

-- who may read what ---------------------------------------------------------------------------
create table rag_internal.principal (
    principal_id bigint primary key default rag_internal.new_id(),
    kind         text not null,
    name         text collate "C" not null,
    role_oid     oid,
    tenant       text collate "C" not null default '',
    created_at   timestamptz not null default now(),
    constraint principal_key unique nulls not distinct (tenant, kind, name, role_oid),
    constraint principal_kind_is_known check (kind in ('role', 'user', 'group', 'public')),
    -- a role dropped and created again has another oid, and inherits nothing
    constraint principal_role_has_oid check ((kind = 'role') = (role_oid is not null))
);
comment on table rag_internal.principal is
    'Somebody who can be granted reading: a database role (by name and oid) or everybody.';

create table rag_internal.acl (
    acl_id         bigint primary key default rag_internal.new_id(),
    reader_set     bytea,
    tenant         text collate "C" not null default '',
    security_level smallint not null default 0,
    -- equal reader sets are one row
    constraint acl_reader_set_key unique (tenant, security_level, reader_set),
    constraint acl_security_level_not_negative check (security_level >= 0)
);
comment on table rag_internal.acl is
    'A sharing class. Where reader_set is null it is the mutable class of one collection; else an '
    'immutable set of readers, interned by the SHA-256 of its sorted principals.';

create table rag_internal.acl_reader (
    principal_id bigint not null references rag_internal.principal,
    acl_id       bigint not null references rag_internal.acl on delete cascade,
    primary key (principal_id, acl_id)
);
create index acl_reader_acl_id on rag_internal.acl_reader (acl_id);
comment on table rag_internal.acl_reader is 'The readers of each sharing class.';

-- models --------------------------------------------------------------------------------------
create table rag_internal.model (
    model_id       integer generated always as identity primary key,
    name           text collate "C" not null unique,
    kind           text not null default 'embedding',
    provider       text not null default 'fastembed',
    revision       text not null default '',
    dimensions     integer not null,
    metric         text not null default 'cosine',
    query_prefix   text not null default '',
    passage_prefix text not null default '',
    max_tokens     integer not null,
    is_default     boolean not null default false,
    created_at     timestamptz not null default now(),
    constraint model_kind_is_known check (kind in ('embedding', 'sparse', 'rerank')),
    constraint model_provider_is_known check (provider in ('fastembed')),
    constraint model_metric_is_known check (metric in ('cosine', 'l2', 'inner_product')),
    -- the index on halfvec reaches this far
    constraint model_dimensions_in_range check (dimensions between 1 and 4000),
    constraint model_window_has_room check (max_tokens >= 32)
);
create unique index model_default on rag_internal.model (kind) where is_default;
comment on table rag_internal.model is
    'The registry of models. Dimensions and the window (max_tokens, special tokens included) '
    'belong to the model.';

-- content -------------------------------------------------------------------------------------
create table rag_internal.collection (
    collection_id   bigint primary key default rag_internal.new_id(),
    name            text collate "C" not null,
    tenant          text collate "C" not null default '',
    owner_id        bigint not null references rag_internal.principal,
    acl_id          bigint not null unique references rag_internal.acl,
    description     text,
    strategy        text not null default 'word',
    chunk_size      integer,
    overlap         integer,
    min_chunk_size  integer,
    model_id        integer references rag_internal.model,
    text_config     text collate "C" not null default 'english',
    search_defaults jsonb not null default '{}',
    created_at      timestamptz not null default now(),
    updated_at      timestamptz not null default now(),
    constraint collection_name_key unique (tenant, name),
    constraint collection_name_is_visible check (name ~ '[[:graph:]]'),
    -- names travel in error messages and log lines
    constraint collection_name_is_short check (length(name) <= 200)
);
create index collection_owner_id on rag_internal.collection (owner_id);
comment on table rag_internal.collection is
    'Documents that share an owner, default readers, chunking, model and text configuration. '
    'text_config is text, since a regconfig column would block pg_upgrade. A null model: no '
    'vectors.';

create table rag_internal.document (
    document_id   uuid primary key default gen_random_uuid(),
    collection_id bigint not null references rag_internal.collection on delete cascade,
    source        text collate "C" not null,
    version       text collate "C" not null default '',
    title         text,
    content       text not null,
    content_hash  bytea not null,
    mime          text not null default 'text/plain',
    language      text,
    status        text not null default 'active',
    valid_from    timestamptz,
    valid_until   timestamptz,
    tags          text[] not null default '{}',
    metadata      jsonb not null default '{}',
    attributes    jsonb not null,
    indexed_as    jsonb not null,
    acl_id        bigint not null references rag_internal.acl,
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),
    constraint document_key unique (collection_id, source, version),
    constraint document_status_is_known check (status in ('active', 'archived')),
    constraint document_metadata_is_object check (jsonb_typeof(metadata) = 'object'),
    constraint document_validity_is_ordered check (valid_from < valid_until),
    -- an entry of the key's index holds about 2,700 bytes
    constraint document_key_fits_index check (octet_length(source) + octet_length(version) <= 2000)
);
create index document_acl_id on rag_internal.document (acl_id);
create index document_attributes on rag_internal.document using gin (attributes jsonb_path_ops);
comment on table rag_internal.document is 'A document as it was ingested, character for character.';
comment on column rag_internal.document.content_hash is 'SHA-256 of content in UTF-8.';
comment on column rag_internal.document.attributes is
    'What filters see: metadata, and over it source, title, tags, version, status and dates as UTC '
    'ISO text.';
comment on column rag_internal.document.indexed_as is
    'The settings its chunks were made with; an ingest under other settings makes them anew.';

create table rag_internal.chunk (
    chunk_id      bigint primary key default rag_internal.new_id(),
    document_id   uuid not null references rag_internal.document on delete cascade,
    chunk_index   integer not null,
    content       text not null,
    embed_text    text,
    start_offset  integer not null,
    end_offset    integer not null,
    start_line    integer not null,
    end_line      integer not null,
    page          integer,
    heading       text[] not null default '{}',
    section_start integer,
    section_end   integer,
    kind          text not null default 'prose',
    token_count   integer,
    value         real,
    metadata      jsonb not null default '{}',
    tsv           tsvector not null,
    lexeme_count  integer not null,
    surface       tsvector not null,
    constraint chunk_key unique (document_id, chunk_index),
    constraint chunk_span_is_ordered check (0 <= start_offset and start_offset < end_offset)
);
create index chunk_tsv on rag_internal.chunk using gin (tsv);
create index chunk_surface on rag_internal.chunk using gin (surface);
comment on table rag_internal.chunk is
    'A passage: content = substr(document.content, start_offset + 1, end_offset - start_offset). '
    'It is known to callers as (document_id, chunk_index).';
comment on column rag_internal.chunk.embed_text is
    'The text that was embedded, where it is not content itself.';
comment on column rag_internal.chunk.token_count is
    'Tokens of content by the collection''s model, without special tokens.';
comment on column rag_internal.chunk.tsv is 'Lexemes of rag.analyze: title (weight A) and content.';
comment on column rag_internal.chunk.lexeme_count is
    'Occurrences of lexemes in tsv: the length that BM25 knows.';
comment on column rag_internal.chunk.surface is
    'Folded words as they are written, unstemmed: what typos are compared with.';

create table rag_internal.word (
    word text collate "C" not null
);
-- not unique: an ingest would wait for another's new words, and so learn of them
create index word_word on rag_internal.word (word);
create index word_trigrams on rag_internal.word using gin (word @extschema:pg_trgm@.gin_trgm_ops);
create index word_length on rag_internal.word (length(word));
comment on table rag_internal.word is
    'Every surface form; which of them a caller may know is asked of rag_internal.chunk.surface.';

create table rag_internal.embedding (
    model_id      integer not null references rag_internal.model,
    chunk_id      bigint not null references rag_internal.chunk on delete cascade,
    acl_id        bigint not null,
    collection_id bigint not null,
    embed_hash    bytea not null,
    v             @extschema:vector@.halfvec not null,
    primary key (model_id, chunk_id)
) partition by list (model_id);
create index embedding_chunk_id on rag_internal.embedding (chunk_id);
create index embedding_embed_hash on rag_internal.embedding (embed_hash);
create index embedding_scope on rag_internal.embedding (acl_id, collection_id);
comment on table rag_internal.embedding is
    'One unit vector per passage and model, a partition per model with its HNSW index. acl_id and '
    'collection_id repeat the document''s, so that a scan can be masked without a join.';
comment on column rag_internal.embedding.embed_hash is
    'SHA-256 of model revision, kind and exact text: equal text is embedded once per tenant.';

-- work and its record -------------------------------------------------------------------------
create table rag_internal.job (
    job_id        bigint primary key default rag_internal.new_id(),
    kind          text not null,
    collection_id bigint references rag_internal.collection on delete cascade,
    payload       jsonb not null default '{}',
    status        text not null default 'queued',
    attempts      integer not null default 0,
    run_after     timestamptz not null default now(),
    lease_until   timestamptz,
    error         text,
    created_by    name not null default current_user,
    role_oid      oid not null default quote_ident(current_user)::regrole,
    created_at    timestamptz not null default now(),
    finished_at   timestamptz,
    constraint job_status_is_known
        check (status in ('queued', 'running', 'done', 'cancelled', 'dead'))
);
create index job_queue on rag_internal.job (run_after) where status in ('queued', 'running');
create index job_collection_id on rag_internal.job (collection_id);
comment on table rag_internal.job is
    'The queue of background work; a reader sees the jobs it asked for.';

create table rag_internal.ingest_log (
    log_id      bigint primary key default rag_internal.new_id(),
    run_id      uuid not null,
    logged_at   timestamptz not null default clock_timestamp(),
    user_name   name not null default current_user,
    -- a role dropped and made again does not inherit the log
    role_oid    oid not null default quote_ident(current_user)::regrole,
    collection  text not null,
    source      text not null,
    outcome     text not null,
    document_id uuid,
    chunks      integer,
    detail      text,
    constraint ingest_log_outcome_is_known
        check (outcome in ('created', 'updated', 'unchanged', 'empty', 'binary', 'too_large',
                           'skipped', 'failed')),
    -- a detail names a reason; it is no place for a document
    constraint ingest_log_detail_is_short check (length(detail) <= 1000)
);
create index ingest_log_run_id on rag_internal.ingest_log (run_id);
create index ingest_log_logged_at on rag_internal.ingest_log (logged_at);
comment on table rag_internal.ingest_log is
    'What happened to each file of each load; a user sees the runs of its own.';

-- result types: they grow by "alter type ... add attribute ... cascade" --------------------------
create type rag.hit as (
    rank            integer,
    score           double precision,
    document_id     uuid,
    chunk_index     integer,
    collection      text,
    source          text,
    title           text,
    heading         text[],
    content         text,
    highlight       text,
    start_offset    integer,
    end_offset      integer,
    start_line      integer,
    end_line        integer,
    page            integer,
    kind            text,
    metadata        jsonb,
    semantic_rank   integer,
    semantic_score  double precision,
    bm25_rank       integer,
    bm25_score      double precision,
    fuzzy_rank      integer,
    fuzzy_score     double precision,
    rerank_score    double precision,
    corrected_query text,
    degraded        text[],
    citation        text
);
comment on type rag.hit is
    'A ranked passage. Offsets count characters of document.content from 0, end exclusive; lines '
    'count from 1. A leg that did not find the passage leaves its rank and score null.';

create type rag.ingested as (
    document_id    uuid,
    status         text,
    chunks_created integer,
    job_id         bigint
);
comment on type rag.ingested is
    'What became of a document: status is created, updated or unchanged.';

create type rag.text_chunk as (
    chunk_index   integer,
    content       text,
    start_offset  integer,
    end_offset    integer,
    start_line    integer,
    end_line      integer,
    heading       text[],
    section_start integer,
    section_end   integer,
    kind          text,
    token_count   integer,
    value         real,
    embed_text    text
);
comment on type rag.text_chunk is
    'A passage of a text, before it is stored; offsets as in rag.hit.';

create type rag.fused as (
    rank  integer,
    score double precision,
    id    text,
    ranks jsonb
);
comment on type rag.fused is
    'An item of fused rankings: ranks holds its rank in each ranking that has it.';

create type rag.collection_info as (
    name           text,
    owner          text,
    description    text,
    readers        text[],
    strategy       text,
    chunk_size     integer,
    overlap        integer,
    min_chunk_size integer,
    model          text,
    text_config    text,
    search_defaults jsonb,
    documents      bigint,
    chunks         bigint,
    characters     bigint,
    created_at     timestamptz,
    updated_at     timestamptz
);
comment on type rag.collection_info is
    'A collection and what of it the caller can see; readers are shown to those who may grant.';

create type rag.identity as (
    identity        text,
    source          text,
    principals      text[],
    tenant          text,
    clearance       integer,
    sees_everything boolean,
    why             text
);
comment on type rag.identity is 'Who the caller is to ragsql, and why.';

create type rag.check_result as (
    name      text,
    status    text,
    detail    text,
    next_step text
);
comment on type rag.check_result is 'A finding of rag.doctor(): status is ok, warn or fail.';

create type rag_internal.identity as (
    who             name,
    tenant          text,
    clearance       smallint,
    sees_everything boolean,
    principal_ids   bigint[]
);

create type rag_internal.scope as (
    acl_ids        bigint[],
    collection_ids bigint[],
    filter         jsonb,
    filter_path    jsonpath,
    vars           jsonb
);
comment on type rag_internal.scope is
    'Where a search looks: classes the caller may read, collections, and the filter.';

create type rag_internal.leg_hit as (
    leg         text,
    rank        integer,
    score       double precision,
    chunk_id    bigint,
    document_id uuid,
    chunk_index integer
);
comment on type rag_internal.leg_hit is
    'A passage that one leg of a search found, with its rank there.';

create type rag_internal.prepared_chunk as (
    chunk      rag.text_chunk,
    embed_hash bytea,
    v          @extschema:vector@.halfvec
);

-- ownership and row security: no caller is granted a table -------------------------------------
do $$
declare
    _table regclass;
begin
    for _table in
        select c.oid from pg_catalog.pg_class c
        where c.relnamespace in ('rag'::regnamespace, 'rag_internal'::regnamespace)
          and c.relkind in ('r', 'p')
          and c.relname not in ('setting', 'alembic_version', 'created_extension')
    loop
        execute format('alter table %s owner to rag_owner', _table);
        execute format('alter table %s enable row level security', _table);
    end loop;
end
$$;
do $$
declare
    _type regtype;
begin
    for _type in
        select t.oid from pg_catalog.pg_type t join pg_catalog.pg_class c on c.oid = t.typrelid
        where t.typnamespace in ('rag'::regnamespace, 'rag_internal'::regnamespace)
          and c.relkind = 'c'
    loop
        execute format('alter type %s owner to rag_owner', _type);
    end loop;
end
$$;
alter table rag_internal.setting enable row level security;
create policy setting_for_owner on rag_internal.setting for select to rag_owner using (true);
