-- The lexical index: postings in ordinary tables, scored by the engine.

-- Access changes are counted, so that a session can keep what it may see: the sum of the stamps
-- stands for the state of the sharing classes, in any snapshot. Rows are only added, since a
-- counter that is updated would make ingests wait for each other.
create table rag_internal.access_change (
    stamp numeric not null
);
comment on table rag_internal.access_change is
    'A random number for each change of rag_internal.acl and acl_reader; some of them may be added '
    'up in one row.';

-- settings of collections and documents ---------------------------------------------------------
alter table rag_internal.collection
    add column title_weight   smallint not null default 2,
    add column heading_weight smallint not null default 1,
    -- a weight is a number of repetitions, and each takes room in the index
    add constraint collection_title_weight_in_range check (title_weight between 0 and 10),
    add constraint collection_heading_weight_in_range check (heading_weight between 0 and 10);
comment on column rag_internal.collection.title_weight is
    'How often the title counts in each passage of the document; 0: not at all.';
comment on column rag_internal.collection.heading_weight is
    'How often the heading path counts in a passage; 0: not at all.';
alter table rag_internal.collection add column analyzed_as text;
comment on column rag_internal.collection.analyzed_as is
    'Version and fingerprint of the analyzer that its lexemes were made with; another one asks for '
    'rag.rebuild_index.';
alter type rag.collection_info add attribute title_weight integer cascade;
alter type rag.collection_info add attribute heading_weight integer cascade;

alter table rag_internal.document add column text_config text collate "C";
update rag_internal.document d set text_config = k.text_config
from rag_internal.collection k where k.collection_id = d.collection_id;
alter table rag_internal.document alter column text_config set not null;
comment on column rag_internal.document.text_config is
    'The configuration of its language, else of its collection.';

-- what BM25 and the fuzzy leg read lies in postings now
drop view rag_internal.live_chunk;
alter table rag_internal.chunk drop column surface, drop column lexeme_count;
alter table rag_internal.chunk add column words_skipped integer not null default 0;
comment on column rag_internal.chunk.tsv is
    'Lexemes of rag.analyze: title (weight A), headings (weight B) and content.';
comment on column rag_internal.chunk.words_skipped is
    'Words that the lexical index leaves out: too long, or beyond the part that is analysed.';
alter type rag.ingested add attribute words_skipped integer cascade;

-- only words that a typing error can mean
delete from rag_internal.word where word ~ '[0-9]' or length(word) < 2;
comment on table rag_internal.word is
    'Surface forms in segments, without digits; which of them a caller may know is asked of the '
    'postings.';

-- the index ---------------------------------------------------------------------------------------
create table rag_internal.indexed_document (
    document_id uuid primary key references rag_internal.document on delete cascade,
    entry_id    bigint not null default rag_internal.new_id()
);
comment on table rag_internal.indexed_document is
    'Documents in the lexical index. An entry is one indexing of one document: it lies in pending '
    'or in segments, and is dead as soon as it is no longer named here.';

create table rag_internal.tombstone (
    entry_id bigint primary key
);
comment on table rag_internal.tombstone is
    'Entries that are dead. Whoever replaces or deletes an entry adds its tombstone; a merge '
    'leaves out what it knows to be dead, and what it does not know of stays dead by the '
    'tombstone.';

create table rag_internal.pending (
    entry_id      bigint not null,
    first_index   integer not null,
    document_id   uuid not null,
    collection_id bigint not null,
    acl_id        bigint not null,
    text_config   text collate "C" not null,
    valid_from    timestamptz,
    valid_until   timestamptz,
    passages      integer not null,
    lengths       bytea not null,
    lexemes       bytea not null,
    frequencies   bytea not null,
    surfaces      bytea not null,
    primary key (entry_id, first_index)
);
create index pending_text_config on rag_internal.pending (text_config);
alter table rag_internal.pending
    -- mostly short-lived rows of some kilobytes, read by every search: not worth compressing
    alter column lexemes set storage external,
    alter column frequencies set storage external,
    alter column surfaces set storage external,
    alter column lengths set storage external,
    set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
         -- a document of a few passages is read from one page
         toast_tuple_target = 8160);
comment on table rag_internal.pending is
    'Documents that are searched as they are until they are built into a segment; one row for each '
    '4,096 passages. lengths: 4 bytes (most significant first) for each passage. lexemes, '
    'surfaces: UTF-8, each term followed by byte 1, each passage by byte 2. frequencies: a byte '
    'for each lexeme.';

create table rag_internal.segment (
    segment_id     bigint primary key default rag_internal.new_id(),
    text_config    text collate "C" not null,
    passages       integer not null,
    documents      integer not null,
    entry_ids      bytea not null,
    document_ids   bytea not null,
    collection_ids bytea not null,
    acl_ids        bytea not null,
    first_passages bytea not null,
    first_indexes  bytea not null,
    valid_from     bytea not null,
    valid_until    bytea not null,
    lengths        bytea not null,
    -- ordinals have 16 bits
    constraint segment_fits_ordinals check (passages between 1 and 65536)
);
comment on table rag_internal.segment is
    'A block of passages of one text configuration that never changes. Arrays have an item for '
    'each document, in the order of (acl_id, collection_id, document_id), lengths for each '
    'passage: little-endian, 8 bytes (16: document_ids; 4: first_passages, first_indexes, '
    'lengths).';

create table rag_internal.posting (
    segment_id  bigint not null references rag_internal.segment on delete cascade,
    kind        "char" not null,
    first_term  text collate "C" not null,
    terms       bytea not null,
    counts      bytea not null,
    ordinals    bytea not null,
    frequencies bytea not null,
    primary key (segment_id, kind, first_term),
    constraint posting_kind_is_known check (kind in ('l', 's'))
);
alter table rag_internal.posting
    alter column terms set storage external,
    alter column counts set storage external,
    alter column ordinals set storage external,
    alter column frequencies set storage external;
comment on table rag_internal.posting is
    'Which passages of a segment hold a term: lexemes (kind l) and surface forms (kind s). A row '
    'is a block of consecutive terms; the engine''s lexical/codec.py tells the format.';

-- results -----------------------------------------------------------------------------------------
create type rag.bm25_term as (
    term           text,
    tf             integer,
    df             bigint,
    n              bigint,
    idf            double precision,
    length         integer,
    average_length double precision,
    length_factor  double precision,
    contribution   double precision
);
comment on type rag.bm25_term is
    'What a term adds to the BM25 score of a passage: contribution = idf * length_factor, '
    'length_factor = tf (k1 + 1) / (tf + k1 (1 - b + b length / average_length)). n, df and '
    'average_length are taken over the passages that the caller can see.';

create type rag.correction as (
    original  text,
    corrected text,
    distance  integer
);
comment on type rag.correction is
    'A word of a query, or two that belong together, as typed and as meant; distance 0: unchanged.';

create type rag.index_difference as (
    kind        text,
    document_id uuid,
    chunk_index integer,
    detail      text
);
comment on type rag.index_difference is
    'Where the lexical index differs from the passages: kind is missing, doubled, dead, wrong or '
    'outdated.';

alter type rag_internal.leg_hit drop attribute chunk_id;
alter type rag_internal.leg_hit add attribute corrected_query text;
alter type rag_internal.scope add attribute identity rag_internal.identity;
comment on type rag_internal.scope is
    'Where a search looks: who asks, classes the caller may read (null: the engine knows), '
    'collections (null: all), and the filter.';

create type rag_internal.question as (
    content  text,
    phrases  text[],
    excluded text[]
);
comment on type rag_internal.question is
    'A query taken apart: content is what is meant, phrases what must occur word for word, '
    'excluded words and phrases must not.';

create type rag_internal.text_condition as (
    text_config text,
    condition   tsquery
);
comment on type rag_internal.text_condition is
    'What passages of a text configuration must match.';

do $$
declare
    _name text;
begin
    foreach _name in array array['access_change', 'indexed_document', 'tombstone',
                                 'pending', 'segment', 'posting']
    loop
        execute format('alter table rag_internal.%I owner to rag_owner', _name);
        execute format('alter table rag_internal.%I enable row level security', _name);
    end loop;
    foreach _name in array array['rag.bm25_term', 'rag.correction', 'rag.index_difference',
                                 'rag_internal.question', 'rag_internal.text_condition']
    loop
        execute format('alter type %s owner to rag_owner', _name);
    end loop;
end
$$;

-- signatures that changed, and what has gone ----------------------------------------------------
drop function rag.create_collection(text, text, text[], text, integer, integer, integer, text,
    text, jsonb, real);
drop function rag.alter_collection(text, text, text, integer, integer, integer, text, text, jsonb,
    real);
drop function rag_internal.create_collection(rag_internal.identity, text, text, text[], text,
    integer, integer, integer, text, text, jsonb, real);
drop function rag_internal.make_collection(name, bytea, text, text, text[], text, integer,
    integer, integer, text, text, jsonb, real);
drop function rag_internal.alter_collection(name, bytea, text, text, text, integer, integer,
    integer, text, text, jsonb, real);
drop function rag_internal.visible_acls(rag_internal.identity);
drop function rag_internal.index_text(text, text, text);
drop function rag_internal.add_words(uuid);
drop function rag_internal.any_of(text[]);
drop function rag_internal.count_lexemes(tsvector);
drop function rag_internal.closest_words(text, text[], integer);
drop function rag_internal.similar_words(text[], rag_internal.scope);
drop function rag_internal.bm25_leg(text, rag_internal.scope, bigint);
drop function rag_internal.fuzzy_leg(text, rag_internal.scope, bigint);
drop function rag_internal.semantic_leg(@extschema:vector@.vector, rag_internal.model,
    rag_internal.scope, bigint);
