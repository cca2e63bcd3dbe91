-- Whether an ingest must say that not all of a text can be found by its words.
create or replace function rag_internal.words_skipped(content text) returns integer
language plpgsql stable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _text text;
    _words text;
begin
    if octet_length(content) <= 2046 and octet_length(content) = char_length(content) then
        return 0;  -- folding makes nothing longer of ASCII
    end if;
    _text := rag_internal.fold_text(content);
    if octet_length(_text) <= 2046 then
        return 0;
    end if;
    _words := rag_internal.word_stream(_text);
    if octet_length(_text) <= 100000 and _words !~ '[^ ]{255}' then
        return 0;
    end if;
    return cardinality(array_remove(string_to_array(_words, ' '), ''))
           - cardinality(array_remove(string_to_array(
                 rag_internal.indexable_words(
                     rag_internal.word_stream(rag_internal.fitting_part(_text))), ' '), ''));
end
$$;

comment on function rag_internal.words_skipped(text) is
    'How many words of a text rag.analyze leaves out: those over 2,046 bytes and those beyond the '
    'part that fits a tsvector.';
alter function rag_internal.words_skipped(text) owner to rag_owner;
revoke all on function rag_internal.words_skipped(text) from public;
