-- What a tsvector of a folded text takes at most: each distinct word with its positions, of which
-- 255 are kept, and room for a stemmer that lengthens words.
create or replace function rag_internal.tsvector_bound(folded text) returns bigint
language sql immutable parallel safe
begin atomic
    select coalesce(sum(octet_length(w.word) + 8 + 2 * least(w.occurrences, 255)), 0)::bigint
           + coalesce(octet_length((rag_internal.compound_forms(folded))[2]), 0)
    from (select s.word, count(*) as occurrences
          from string_to_table(
                   concat_ws(' ', rag_internal.indexable_words(rag_internal.word_stream(folded)),
                             (rag_internal.compound_forms(folded))[1],
                             rag_internal.single_characters(folded)), ' ') s (word)
          group by s.word collate "C", s.word) w;
end;

comment on function rag_internal.tsvector_bound(text) is
    'An upper bound of the bytes that the lexemes of a folded text take in a tsvector.';
alter function rag_internal.tsvector_bound(text) owner to rag_owner;
revoke all on function rag_internal.tsvector_bound(text) from public;
grant execute on function rag_internal.tsvector_bound(text) to rag_reader;
