-- Identity, readers, redaction, audit and erasure.

-- who asks ----------------------------------------------------------------------------------------
alter type rag_internal.identity add attribute source text cascade;
alter type rag_internal.identity add attribute reader text cascade;
alter type rag_internal.identity add attribute why text cascade;
alter type rag_internal.identity add attribute groups text[] cascade;
comment on type rag_internal.identity is
    'Who asks: who is the current role; source says by which way the identity was found; reader is '
    'what it owns and is granted by (role:NAME, user:NAME; null: nobody).';

create table rag_internal.role_rule (
    name           text collate "C" primary key,
    role_oid       oid not null,
    token_required boolean not null default false,
    clearance      smallint not null default 0,
    tenant         text collate "C" not null default '',
    constraint role_rule_clearance_not_negative check (clearance >= 0),
    constraint role_rule_tenant_is_short check (length(tenant) <= 200)
);
comment on table rag_internal.role_rule is
    'What rag.configure_role says of database roles, and of those that have usage of them. A role '
    'of the name with another oid is nobody.';

-- who may read and write what ---------------------------------------------------------------------
-- a class with the readers of a collection and a level of its own
alter table rag_internal.acl
    add column grants_id bigint references rag_internal.acl on delete cascade,
    add constraint acl_level_key unique (grants_id, security_level),
    add constraint acl_readers_are_its_own_or_granted
        check (grants_id is null or reader_set is null);
comment on table rag_internal.acl is
    'A sharing class. Where reader_set is null it is the mutable class of one collection, or, with '
    'grants_id, has the readers of that class and a security level of its own; else an immutable '
    'set of readers, interned by the SHA-256 of its sorted principals.';

comment on table rag_internal.principal is
    'Somebody who can be granted something: a database role (by name and oid), a user or a group '
    'of a tenant, or everybody.';

create table rag_internal.collection_writer (
    collection_id bigint not null references rag_internal.collection on delete cascade,
    principal_id  bigint not null references rag_internal.principal,
    primary key (collection_id, principal_id)
);
create index collection_writer_principal_id on rag_internal.collection_writer (principal_id);
comment on table rag_internal.collection_writer is
    'Who may write documents to a collection, beside its owner.';

-- two owners may have collections of the same name
alter table rag_internal.collection
    drop constraint collection_name_key,
    add constraint collection_name_key unique (tenant, owner_id, name);
create index collection_name on rag_internal.collection (name);

create table rag_internal.restricted_tenant (
    tenant text collate "C" primary key
);
comment on table rag_internal.restricted_tenant is
    'Tenants that search and ingest only what rag_internal.allowed_source names.';

create table rag_internal.allowed_source (
    tenant     text collate "C" not null references rag_internal.restricted_tenant
                                on delete cascade,
    collection text collate "C" not null,
    may_search boolean not null,
    may_ingest boolean not null,
    primary key (tenant, collection)
);
comment on table rag_internal.allowed_source is
    'Names of collections that a restricted tenant may search or ingest into.';

alter type rag.collection_info add attribute tenant text cascade;
alter type rag.collection_info add attribute security_level integer cascade;
alter type rag.collection_info add attribute writers text[] cascade;

create type rag.reader_grant as (
    reader         text,
    privilege      text,
    security_level integer
);
comment on type rag.reader_grant is
    'Who may do what with a collection or a document: privilege is own, read, write or unredacted; '
    'who reads needs a clearance of security_level.';

create type rag.source_rule as (
    tenant     text,
    collection text,
    may_search boolean,
    may_ingest boolean
);
comment on type rag.source_rule is
    'A collection that a restricted tenant may search or ingest into; a tenant without any has one '
    'row without a collection.';

-- work is its identity's, not only its role's -----------------------------------------------------
alter table rag_internal.job
    add column reader text,
    add column tenant text collate "C" not null default '';
alter table rag_internal.ingest_log
    add column reader text,
    add column tenant text collate "C" not null default '';
comment on column rag_internal.job.reader is
    'Who asked for it: role:NAME or user:NAME; null: the role created_by.';
comment on column rag_internal.ingest_log.reader is
    'Who ran the load: role:NAME or user:NAME; null: the role user_name.';

-- what was asked and shown ------------------------------------------------------------------------
create type rag.search_step as (
    step         text,
    route        text,
    why          text,
    passages     bigint,
    milliseconds double precision
);
comment on type rag.search_step is
    'A step of a search: which way it went and why, over how many passages, and how long it took.';

create type rag_internal.retrieval as (
    identity       rag_internal.identity,
    hits           rag.hit[],
    steps          rag.search_step[],
    strategy       text,
    collection_ids bigint[]
);
comment on type rag_internal.retrieval is
    'What a search found, and how: strategy is hybrid or its only leg, collection_ids null stands '
    'for all that the caller sees.';

create table rag_internal.search_log (
    log_id        bigint primary key default rag_internal.new_id(),
    searched_at   timestamptz not null default clock_timestamp(),
    role_name     name not null,
    reader        text,
    tenant        text collate "C" not null default '',
    source        text not null,
    strategy      text not null,
    collections   text[],
    query         text,
    query_hash    bytea,
    document_ids  uuid[] not null,
    chunk_indexes integer[] not null,
    steps         jsonb not null
);
create index search_log_searched_at on rag_internal.search_log (searched_at);
comment on table rag_internal.search_log is
    'Searches and what they returned. collections null: all that the caller sees. query_hash is a '
    'keyed SHA-256 of the query; query is kept where rag.configure_search_log says so.';

create table rag_internal.search_log_setting (
    only_row boolean primary key default true check (only_row),
    mode     text not null default 'hash',
    days     integer not null default 90,
    constraint search_log_setting_mode_is_known check (mode in ('hash', 'text', 'off')),
    constraint search_log_setting_days_positive check (days > 0)
);
comment on table rag_internal.search_log_setting is
    'What is recorded of searches, and for how many days.';
insert into rag_internal.search_log_setting default values;

do $$
declare
    _name text;
begin
    foreach _name in array array['role_rule', 'collection_writer', 'restricted_tenant',
                                 'allowed_source', 'search_log', 'search_log_setting']
    loop
        execute format('alter table rag_internal.%I owner to rag_owner', _name);
        execute format('alter table rag_internal.%I enable row level security', _name);
    end loop;
    foreach _name in array array['rag.reader_grant', 'rag.source_rule', 'rag.search_step',
                                 'rag_internal.retrieval']
    loop
        execute format('alter type %s owner to rag_owner', _name);
    end loop;
end
$$;

drop function rag_internal.authenticate(name, bytea);

-- signed tokens -----------------------------------------------------------------------------------
create table rag_internal.identity_key (
    kid        text collate "C" primary key,
    algorithm  text not null,
    key        text not null,
    issuer     text collate "C",
    audience   text collate "C",
    tenant     text collate "C",
    not_before timestamptz,
    not_after  timestamptz,
    created_at timestamptz not null default clock_timestamp(),
    -- visible ASCII, so that no two look alike
    constraint identity_key_kid_is_plain check (kid ~ '^[!-~]{1,200}$'),
    constraint identity_key_algorithm_known
        check (algorithm in ('HS256', 'RS256', 'ES256', 'EdDSA')),
    constraint identity_key_ends_after_it_begins check (not_after > not_before)
);
comment on table rag_internal.identity_key is
    'Keys that signed tokens are verified with, by the name that a token''s header gives (kid). '
    'For HS256 the key is the secret that signs, so nobody but rag_owner reads this table.';
alter table rag_internal.identity_key owner to rag_owner;
alter table rag_internal.identity_key enable row level security;

create type rag.identity_key as (
    kid        text,
    algorithm  text,
    issuer     text,
    audience   text,
    tenant     text,
    not_before timestamptz,
    not_after  timestamptz,
    created_at timestamptz,
    is_valid   boolean
);
comment on type rag.identity_key is
    'A key that tokens are verified with, without the key itself; is_valid: whether it may be used '
    'now.';
alter type rag.identity_key owner to rag_owner;

-- what some readers do not get to see -------------------------------------------------------------
create table rag_internal.redaction_rule (
    collection_id bigint not null references rag_internal.collection on delete cascade,
    name          text collate "C" not null,
    detector      text collate "C",
    pattern       text,
    replacement   text not null,
    created_at    timestamptz not null default now(),
    primary key (collection_id, name),
    constraint redaction_rule_has_one_pattern check (num_nonnulls(detector, pattern) = 1)
);
comment on table rag_internal.redaction_rule is
    'What is replaced in the texts of a collection, for readers who are not in '
    'rag_internal.unredacted_reader: matches of a regular expression, or of a detector by name.';

create table rag_internal.unredacted_reader (
    collection_id bigint not null references rag_internal.collection on delete cascade,
    principal_id  bigint not null references rag_internal.principal,
    primary key (collection_id, principal_id)
);
create index unredacted_reader_principal_id on rag_internal.unredacted_reader (principal_id);
comment on table rag_internal.unredacted_reader is
    'Who reads a collection as it is written, beside its owner. It grants no reading by itself.';

create type rag.redaction_rule as (
    name        text,
    detector    text,
    pattern     text,
    replacement text,
    created_at  timestamptz
);
comment on type rag.redaction_rule is
    'A rule of a collection: what matches the pattern, or the detector of that name, is replaced.';

create type rag_internal.redacted_span as (
    first       integer,
    past        integer,
    first_byte  integer,
    past_byte   integer,
    replacement text
);
comment on type rag_internal.redacted_span is
    'A part of a text that is replaced: characters, and bytes, from 0, end exclusive.';

create type rag_internal.redaction as (
    rules        rag_internal.redaction_rule[],
    spans        rag_internal.redacted_span[],
    kept         text,
    letters      text,
    kept_letters text
);
comment on type rag_internal.redaction is
    'What rules do to the text of a document: spans are replaced, kept is what comes of it; '
    'letters are the letters and digits before and after, null where nothing is replaced.';

do $$
declare
    _name text;
begin
    foreach _name in array array['redaction_rule', 'unredacted_reader'] loop
        execute format('alter table rag_internal.%I owner to rag_owner', _name);
        execute format('alter table rag_internal.%I enable row level security', _name);
    end loop;
    foreach _name in array array['rag.redaction_rule', 'rag_internal.redacted_span',
                                 'rag_internal.redaction']
    loop
        execute format('alter type %s owner to rag_owner', _name);
    end loop;

    -- views stay, for the sake of those that others have made over them, without what they read
    foreach _name in array array['document', 'chunk'] loop
        execute format(
            'create or replace view rag.%I with (security_invoker = true) as select %s where false',
            _name,
            (select string_agg(format('null::%s as %I', a.atttypid::regtype, a.attname), ', '
                               order by a.attnum)
             from pg_catalog.pg_attribute a
             where a.attrelid = format('rag.%I', _name)::regclass and a.attnum > 0));
    end loop;
end
$$;

drop function rag.get_document(uuid);
drop function rag.get_chunks(uuid);
drop function rag.correct_query(text, text[]);
drop function rag.explain_bm25(text, uuid, integer, text[]);
drop function rag_internal.readable_documents(name, bytea, uuid);
drop function rag_internal.readable_chunks(name, bytea, uuid);
drop function rag_internal.correct_query(name, bytea, text, text[]);
drop function rag_internal.explain_bm25(name, bytea, text, uuid, integer, text[]);

-- erasure -----------------------------------------------------------------------------------------
drop function rag.delete_document(uuid);
drop function rag_internal.delete_document(name, bytea, uuid);

create type rag.removal as (
    kind        text,
    document_id uuid,
    collection  text,
    source      text,
    version     text,
    passages    bigint,
    vectors     bigint,
    entries     bigint
);
alter type rag.removal owner to rag_owner;
comment on type rag.removal is
    'What was erased: a row of kind document for each document, and one for each other kind of '
    'which something went, with their number in entries.';

create table rag_internal.scrub_probe (
    number integer primary key
);
alter table rag_internal.scrub_probe owner to rag_owner;
alter table rag_internal.scrub_probe enable row level security;
comment on table rag_internal.scrub_probe is
    'Empty, but for moments: whether rows deleted here can be forgotten tells rag.scrub() whether '
    'an older snapshot still keeps what was deleted elsewhere.';

-- No planner statistics of texts and vectors: they would be copies of what may have to be erased.
do $$
declare
    _column record;
begin
    for _column in
        select c.oid::regclass as relation, c.relkind, a.attname, a.attnum, a.attrelid
        from pg_class c
        join pg_attribute a on a.attrelid = c.oid
        left join pg_index i on i.indexrelid = c.oid
        where c.relnamespace = 'rag_internal'::regnamespace
          and c.relkind in ('r', 'p', 'i') and c.relowner = 'rag_owner'::regrole
          and a.attnum > 0 and not a.attisdropped
          and a.atttypid in ('text'::regtype, 'text[]'::regtype, 'jsonb'::regtype,
                             'bytea'::regtype, 'tsvector'::regtype,
                             '@extschema:vector@.halfvec'::regtype,
                             '@extschema:vector@.vector'::regtype, 'bit'::regtype)
          and a.attname <> all (array['kind', 'outcome', 'status', 'tenant', 'text_config'])
          and c.relname <> all (array['acl', 'allowed_source', 'collection', 'model', 'principal',
                                      'restricted_tenant', 'role_rule', 'ticket_key'])
          -- of an index, expressions alone have statistics
          and (c.relkind <> 'i' or (i.indkey::smallint[])[a.attnum - 1] = 0)
    loop
        if _column.relkind = 'i' then
            execute format('alter index %s alter column %s set statistics 0',
                           _column.relation, _column.attnum);
        else
            execute format('alter table only %s alter column %I set statistics 0',
                           _column.relation, _column.attname);
        end if;
        delete from pg_catalog.pg_statistic s
        where s.starelid = _column.attrelid and s.staattnum = _column.attnum;
    end loop;
end
$$;

-- search by vectors: signatures that changed
drop function rag_internal.semantic_leg(@extschema:vector@.vector, rag_internal.model,
    rag_internal.scope, rag_internal.text_condition[], bigint, text);
drop function rag_internal.semantic_models(rag_internal.scope, boolean,
    @extschema:vector@.vector);

drop function rag_internal.semantic_legs(text, @extschema:vector@.vector, rag_internal.scope,
    bigint, boolean);

-- signatures that changed -------------------------------------------------------------------------
drop function rag.bm25_search(text, text[], integer, jsonb, jsonpath, jsonb, integer);
drop function rag.create_collection(text, text, text[], text, integer, integer, integer, text,
    text, jsonb, real, integer, integer);
drop function rag.fuzzy_search(text, text[], integer, jsonb, jsonpath, jsonb, integer);
drop function rag.grant_read(text, text, uuid);
drop function rag.ingest(text, text, text, text, text[], jsonb, text[], text, text, text,
    timestamptz, timestamptz, text, integer, integer, integer, text);
drop function rag.ingest_chunks(text, jsonb, text, text, text, text[], jsonb, text[], text, text,
    text, timestamptz, timestamptz, text);
drop function rag.revoke_read(text, text, uuid);
drop function rag.search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb, integer,
    integer, boolean, @extschema:vector@.vector);
drop function rag.semantic_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    @extschema:vector@.vector);
drop function rag.whoami();
drop function rag_internal.change_readers(name, bytea, text, text, uuid, boolean);
drop function rag_internal.create_collection(rag_internal.identity, text, text, text[], text,
    integer, integer, integer, text, text, jsonb, real, integer, integer);
drop function rag_internal.draft_document(rag_internal.collection, text, text, text, text[], jsonb,
    text[], text, text, text, timestamptz, timestamptz);
drop function rag_internal.embed_query(text, rag_internal.model, name);
drop function rag_internal.ingest(name, bytea, text, text, text, text, text[], jsonb, text[], text,
    text, text, timestamptz, timestamptz, text, integer, integer, integer, text);
drop function rag_internal.ingest_chunks(name, bytea, text, jsonb, text, text, text, text[], jsonb,
    text[], text, text, text, timestamptz, timestamptz, text);
drop function rag_internal.ingested(rag_internal.document, text, integer, bigint, name);
drop function rag_internal.intern_readers(bigint[]);
drop function rag_internal.make_collection(name, bytea, text, text, text[], text, integer, integer,
    integer, text, text, jsonb, real, integer, integer);
drop function rag_internal.own_collection(rag_internal.identity, text, boolean);
drop function rag_internal.owned_document(rag_internal.identity, uuid, boolean);
drop function rag_internal.principal_for(text);
drop function rag_internal.principals_named(text);
drop function rag_internal.queue_embeddings(rag_internal.collection, uuid, integer, name);
drop function rag_internal.replace_document(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], text, name);
drop function rag_internal.search(name, bytea, text, text[], integer, text, jsonb, jsonpath, jsonb,
    jsonb, integer, integer, boolean, @extschema:vector@.vector);
drop function rag_internal.store_document(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], text, name);
drop function rag_internal.whoami(name, bytea);
drop function rag_internal.write_chunks(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], name);
