-- Adds the words of a fresh entry to the dictionary. Two ingests at once may both add a word: a key
-- would let one wait for, and learn of, the other.
create or replace function rag_internal.add_words(entry_id bigint) returns void
language sql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
    insert into rag_internal.word (word)
    select s.word
    from (select distinct w.word collate "C" as word
          from rag_internal.pending p,
               string_to_table(translate(convert_from(p.surfaces, 'UTF8'), E'\x02', ''), E'\x01')
                   w (word)
          where p.entry_id = add_words.entry_id and length(w.word) between 2 and 64
            and w.word !~ '[0-9]') s
    where not exists (select from rag_internal.word known where known.word = s.word)
$$;

comment on function rag_internal.add_words(bigint) is
    'Adds the surface forms of an entry in rag_internal.pending to rag_internal.word: those of 2 '
    'to 64 characters without a digit.';
alter function rag_internal.add_words(bigint) owner to rag_owner;
revoke all on function rag_internal.add_words(bigint) from public;
