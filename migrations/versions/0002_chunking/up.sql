-- Chunking along the structure of a document: settings for it, and a measure of its quality.

-- Passages of less value are stored but not embedded; null: all are.
alter table rag_internal.collection
    add column min_value real,
    add constraint collection_min_value_is_share check (min_value between 0 and 1);
comment on column rag_internal.collection.min_value is
    'Passages whose value is below it get no vector; null: all get one.';
comment on column rag_internal.chunk.value is
    'From 0 to 1: how likely the passage answers a question by itself (rag.predict_chunk_value).';
comment on column rag_internal.chunk.kind is
    'What most of the passage is: prose, list, table, code, quote, html, data, clause, heading or '
    'front_matter.';
comment on column rag_internal.chunk.section_start is
    'Where the section that the heading path names begins, in characters; section_end is its end.';

-- A strategy is stored by its own name from now on; documents are the same under it.
update rag_internal.collection k
set strategy = n.name
from (values ('words', 'word'), ('char', 'character'), ('chars', 'character')) n (alias, name)
where k.strategy = n.alias;
update rag_internal.document d
set indexed_as = d.indexed_as || jsonb_build_object('strategy', n.name)
from (values ('words', 'word'), ('char', 'character'), ('chars', 'character')) n (alias, name)
where d.indexed_as ->> 'strategy' = n.alias;

alter type rag.collection_info add attribute min_value real cascade;

create type rag.chunking_quality as (
    documents      bigint,
    chunks         bigint,
    split_fences   bigint,
    split_tables   bigint,
    cut_lists      bigint,
    cut_sentences  bigint,
    within_size    real,
    coverage       real
);
comment on type rag.chunking_quality is
    'How well documents are cut: counts of what was cut in two; within_size and coverage are '
    'shares.';
alter type rag.chunking_quality owner to rag_owner;

create type rag_internal.chunk_counts as (
    chunks             bigint,
    split_fences       bigint,
    split_tables       bigint,
    cut_lists          bigint,
    cut_sentences      bigint,
    within_size        bigint,
    characters_covered bigint,
    characters_total   bigint
);
comment on type rag_internal.chunk_counts is 'What rag.chunking_quality is summed from.';
alter type rag_internal.chunk_counts owner to rag_owner;

-- signatures that changed
drop function rag.chunk_text(text, text, integer, integer, integer, text);
drop function rag.ingest(text, text, text, text, text[], jsonb, text[], text, text, text,
    timestamptz, timestamptz);
drop function rag.create_collection(text, text, text[], text, integer, integer, integer, text,
    text, jsonb);
drop function rag.alter_collection(text, text, text, integer, integer, integer, text, text, jsonb);
drop function rag_internal.chunk_text(name, bytea, text, text, integer, integer, integer, text);
drop function rag_internal.split_text(text, text, integer, integer, integer, rag_internal.model);
drop function rag_internal.ingest(name, bytea, text, text, text, text, text[], jsonb, text[],
    text, text, text, timestamptz, timestamptz);
drop function rag_internal.make_collection(name, bytea, text, text, text[], text, integer,
    integer, integer, text, text, jsonb);
drop function rag_internal.create_collection(rag_internal.identity, text, text, text[], text,
    integer, integer, integer, text, text, jsonb);
drop function rag_internal.alter_collection(name, bytea, text, text, text, integer, integer,
    integer, text, text, jsonb);
drop function rag_internal.prepare_chunks(rag_internal.collection, text);
drop function rag_internal.indexing_settings(rag_internal.collection);
