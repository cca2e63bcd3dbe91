-- What of a word stream a tsvector can hold: to_tsvector says a NOTICE for each longer word, and
-- for as long a run of blanks; array_to_tsvector takes the word.
create or replace function rag_internal.indexable_words(words text) returns text
language plpgsql immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    -- repetitions of an expression end at 255; 254 characters are well below the limit
    if octet_length(words) <= 2046 or words !~ '[^ ]{255}| {255}' then
        return words;
    end if;
    return coalesce((select string_agg(w.word, ' ' order by w.place)
                     from string_to_table(words, ' ') with ordinality w (word, place)
                     where octet_length(w.word) between 1 and 2046), '');
end
$$;

comment on function rag_internal.indexable_words(text) is
    'Words parted by blanks without those of more than 2,046 bytes.';
alter function rag_internal.indexable_words(text) owner to rag_owner;
revoke all on function rag_internal.indexable_words(text) from public;
grant execute on function rag_internal.indexable_words(text) to rag_reader;
