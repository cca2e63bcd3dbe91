-- The characters of Han and Hangul one by one: each can be a word, and a question of one character
-- cannot meet the pairs of word_stream.
create or replace function rag_internal.single_characters(folded text) returns text
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select regexp_replace(
        regexp_replace(
            folded, E'[^\\u2e80-\\u2fdf\\u3005-\\u3007\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3'
                    '\\uf900-\\ufaff\\U00020000-\\U0003ffff]+', '', 'g'),
        '.', E'\\& ', 'g')
$$;

comment on function rag_internal.single_characters(text) is
    'The Han and Hangul characters of a folded text, parted by blanks.';
alter function rag_internal.single_characters(text) owner to rag_owner;
revoke all on function rag_internal.single_characters(text) from public;
grant execute on function rag_internal.single_characters(text) to rag_reader;
