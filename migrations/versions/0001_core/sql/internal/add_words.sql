-- Adds a document's words to the dictionary. Two ingests at once may both add a word: a key would
-- let one wait for, and learn of, the other.
create or replace function rag_internal.add_words(document_id uuid) returns void
language sql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
    insert into rag_internal.word (word)
    select s.word
    from (select distinct w.word collate "C" as word
          from rag_internal.chunk c, unnest(tsvector_to_array(c.surface)) w (word)
          where c.document_id = add_words.document_id) s
    where not exists (select from rag_internal.word known where known.word = s.word)
$$;

comment on function rag_internal.add_words(uuid) is
    'Adds the surface forms of a document''s passages to rag_internal.word.';
alter function rag_internal.add_words(uuid) owner to rag_owner;
revoke all on function rag_internal.add_words(uuid) from public;
