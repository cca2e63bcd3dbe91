-- Back to BM25 in plain SQL over the GIN index. Lexemes are computed anew at the end (data.sql).
drop procedure rag.maintain();
drop function rag.alter_collection(text, text, text, integer, integer, integer, text, text, jsonb,
    real, integer, integer);
drop function rag.correct_query(text, text[]);
drop function rag.create_collection(text, text, text[], text, integer, integer, integer, text,
    text, jsonb, real, integer, integer);
drop function rag.explain_bm25(text, uuid, integer, text[]);
drop function rag.maintain_step();
drop function rag.rebuild_index(text);
drop function rag.verify_index(text);
drop function rag.list_collections();
drop function rag.describe_collection(text);
drop function rag.ingest_many(text, jsonb);
drop function rag.analyze(text, text);

drop trigger note_access_change on rag_internal.acl;
drop trigger note_access_change on rag_internal.acl_reader;
drop trigger bury_entry on rag_internal.indexed_document;
drop trigger follow_document on rag_internal.document;
drop function rag_internal.parse_text(text, text);
drop function rag_internal.analyze_folded(text, text, boolean);
drop function rag_internal.fitting_part(text);
drop function rag_internal.tsvector_bound(text);
drop function rag_internal.alter_collection(name, bytea, text, text, text, integer, integer,
    integer, text, text, jsonb, real, integer, integer);
drop function rag_internal.analyzer_fingerprint(text);
drop function rag_internal.analyzer_stamp(text);
drop function rag_internal.analyzer_version();
drop function rag_internal.ascii_words(text);
drop function rag_internal.bm25_terms(text, rag_internal.scope, uuid, integer);
drop function rag_internal.build_segment(text);
drop function rag_internal.bury_entry();
drop function rag_internal.bury_strays(bigint);
drop function rag_internal.check_query(text);
drop function rag_internal.check_text_weights(integer, integer);
drop function rag_internal.compound_forms(text);
drop function rag_internal.correct_query(name, bytea, text, text[]);
drop function rag_internal.correct_words(text, rag_internal.scope);
drop function rag_internal.create_collection(rag_internal.identity, text, text, text[], text,
    integer, integer, integer, text, text, jsonb, real, integer, integer);
drop function rag_internal.explain_bm25(name, bytea, text, uuid, integer, text[]);
drop function rag_internal.follow_document();
drop function rag_internal.index_differences(rag_internal.collection);
drop function rag_internal.index_document(uuid);
drop function rag_internal.index_text(text, text[], text, text, integer, integer);
drop function rag_internal.indexable_words(text);
drop function rag_internal.ingested(rag_internal.document, text, integer);
drop function rag_internal.keep_up_index(rag_internal.document);
drop function rag_internal.lexemes_of(text, text, text, text);
drop function rag_internal.lexical_scope(rag_internal.identity, text[]);
drop function rag_internal.maintain_step(name, bytea);
drop function rag_internal.make_collection(name, bytea, text, text, text[], text, integer,
    integer, integer, text, text, jsonb, real, integer, integer);
drop function rag_internal.merge_segments(text, integer);
drop function rag_internal.microseconds(timestamptz);
drop function rag_internal.near_words(text, text[], integer, text[]);
drop function rag_internal.note_access_change();
drop function rag_internal.pack_terms(text[]);
drop function rag_internal.phrase_lexemes(text, text);
drop function rag_internal.phrase_query(text, text);
drop function rag_internal.prefix_form(text);
drop function rag_internal.question_condition(text[], text[], text);
drop function rag_internal.question_lexemes(text, text);
drop function rag_internal.read_question(text);
drop function rag_internal.rebuild_index(name, bytea, text);
drop function rag_internal.require_read_committed(text);
drop function rag_internal.semantic_leg(@extschema:vector@.vector, rag_internal.model,
    rag_internal.scope, rag_internal.text_condition[], bigint);
drop function rag_internal.single_characters(text);
drop function rag_internal.surface_text(text, text[], text);
drop function rag_internal.sweep_tombstones();
drop function rag_internal.text_config_for(text, text);
drop function rag_internal.verify_index(name, bytea, text);
drop function rag_internal.visible_acls(rag_internal.identity, bigint[]);
drop function rag_internal.word_stream(text);
drop function rag_internal.words_skipped(text);
drop view rag_internal.live_chunk;
-- its attributes are known by their places, so it is made anew, with the functions over it
drop type rag_internal.leg_hit cascade;
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
alter type rag_internal.leg_hit owner to rag_owner;

alter type rag.ingested drop attribute words_skipped cascade;
alter type rag.collection_info drop attribute title_weight cascade;
alter type rag.collection_info drop attribute heading_weight cascade;
alter type rag_internal.scope drop attribute identity cascade;
comment on type rag_internal.scope is
    'Where a search looks: classes the caller may read, collections, and the filter.';
drop type rag.bm25_term;
drop type rag.correction;
drop type rag.index_difference;
drop type rag_internal.question;
drop type rag_internal.text_condition;

drop table rag_internal.posting;
drop table rag_internal.segment;
drop table rag_internal.pending;
drop table rag_internal.tombstone;
drop table rag_internal.indexed_document;
drop table rag_internal.access_change;
alter table rag_internal.chunk
    drop column words_skipped,
    add column lexeme_count integer not null default 0,
    add column surface tsvector not null default '';
alter table rag_internal.chunk
    alter column lexeme_count drop default,
    alter column surface drop default;
create index chunk_surface on rag_internal.chunk using gin (surface);
comment on column rag_internal.chunk.tsv is 'Lexemes of rag.analyze: title (weight A) and content.';
comment on column rag_internal.chunk.lexeme_count is
    'Occurrences of lexemes in tsv: the length that BM25 knows.';
comment on column rag_internal.chunk.surface is
    'Folded words as they are written, unstemmed: what typos are compared with.';
comment on table rag_internal.word is
    'Every surface form; which of them a caller may know is asked of rag_internal.chunk.surface.';
alter table rag_internal.document drop column text_config;
alter table rag_internal.collection
    drop column title_weight,
    drop column heading_weight,
    drop column analyzed_as;
