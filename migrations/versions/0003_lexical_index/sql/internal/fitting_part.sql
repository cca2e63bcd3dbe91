-- As much of the beginning of a folded text as surely fits a tsvector, which ends at 1 MB. What is
-- added up bounds the lexemes: each distinct word with its positions, of which at most 255 are kept,
-- and room for a stemmer that lengthens words. A title and headings find place beside it.
create or replace function rag_internal.fitting_part(folded text) returns text
language plpgsql immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _most constant integer := 900000;
    _part text := folded;
    _forms text[];
    _size bigint;
    _tail integer;
begin
    -- no script and no kind of identifier makes more than eight bytes of one
    while octet_length(_part) > 100000 loop
        _forms := rag_internal.compound_forms(_part);
        select sum(octet_length(w.word) + 8 + 2 * least(w.occurrences, 255))
               + coalesce(octet_length(_forms[2]), 0)
        into _size
        from (select s.word, count(*) as occurrences
              from string_to_table(
                       concat_ws(' ', rag_internal.indexable_words(rag_internal.word_stream(_part)),
                                 _forms[1], rag_internal.single_characters(_part)), ' ') s (word)
              group by s.word collate "C", s.word) w;
        exit when _size <= _most;
        _part := left(_part, (char_length(_part) * (0.97 * _most / _size))::integer);
        -- not within a word
        _tail := strpos(reverse(right(_part, 3000)), ' ');
        if _tail > 0 then
            _part := left(_part, -_tail);
        end if;
    end loop;
    return _part;
end
$$;

comment on function rag_internal.fitting_part(text) is
    'The part of a folded text that is analysed: all of it up to 100,000 bytes and as long as its'
    'distinct words, identifiers and positions come to 900,000 bytes.';
alter function rag_internal.fitting_part(text) owner to rag_owner;
revoke all on function rag_internal.fitting_part(text) from public;
grant execute on function rag_internal.fitting_part(text) to rag_reader;
