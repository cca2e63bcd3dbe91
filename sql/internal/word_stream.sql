-- The words of a folded text in their order and nothing else, so that no parser can see more in
-- them than words: the default parser of PostgreSQL takes ZK-7310 for a word and a negative number,
-- a.b for a host, a/b for a file, and leaves <x> out as a tag.
--
-- Scripts without spaces between words (Han, kana, Hangul for its endings, Thai, Lao, Burmese,
-- Khmer) give overlapping pairs of characters, a mark counting with its letter; a lone character
-- stays. An English 's falls away, so that miner's, miners and the miner are one word.
create or replace function rag_internal.word_stream(folded text) returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    -- letters, and the marks that follow them, of the scripts written without spaces
    _letters constant text :=
        E'\\u0e01-\\u0e30\\u0e32\\u0e33\\u0e40-\\u0e46\\u0e81-\\u0eb0\\u0eb2\\u0eb3'
         '\\u0ebd-\\u0ec6\\u0edc-\\u0edf'
        '\\u1000-\\u102a\\u103f\\u1050-\\u1055\\u105a-\\u105d\\u1061\\u1065\\u1066'
        '\\u106e-\\u1070\\u1075-\\u1081'
        '\\u108e\\u1780-\\u17b3\\u17d7\\u17dc\\u2e80-\\u2fdf\\u3005-\\u3007\\u3021-\\u3029'
        '\\u3031-\\u3035'
        '\\u3038-\\u303c\\u3041-\\u3096\\u309d-\\u309f\\u30a1-\\u30fa\\u30fc-\\u30ff\\u3105-\\u312f'
        '\\u31a0-\\u31bf\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff'
        '\\uac00-\\ud7a3\\uf900-\\ufaff\\U00020000-\\U0003ffff';
    _marks constant text :=
        E'\\u0e31\\u0e34-\\u0e3a\\u0e47-\\u0e4e\\u0eb1\\u0eb4-\\u0ebc\\u0ec8-\\u0ece'
         '\\u102b-\\u103e\\u1056-\\u1059'
        '\\u105e-\\u1060\\u1062-\\u1064\\u1067-\\u106d\\u1071-\\u1074\\u1082-\\u108d\\u108f'
        '\\u109a-\\u109d'
        '\\u17b4-\\u17d3\\u17dd\\u3099\\u309a';
    _words text := folded;
begin
    if strpos(_words, '''') > 0 then
        _words := regexp_replace(
            _words, E'([a-z0-9\\u0080-\\U0010ffff])''s(?![a-z0-9\\u0080-\\U0010ffff])', E'\\1',
            'g');
    end if;
    _words := regexp_replace(_words, E'[^a-z0-9 \\u0080-\\U0010ffff]+', ' ', 'g');
    if octet_length(_words) > char_length(_words) and _words ~ ('[' || _letters || ']') then
        _words := regexp_replace(_words, '[' || _letters || _marks || ']+', E' \\& ', 'g');
        _words := regexp_replace(
            _words,
            '(?<=[' || _letters || _marks || '])[' || _letters || '][' || _marks || ']*'
            '(?=[' || _letters || '])', E'\\& \\&', 'g');
    end if;
    return _words;
end
$$;

comment on function rag_internal.word_stream(text) is
    'Words of letters and digits of a folded text, parted by blanks; pairs of characters where a '
    'script has no spaces.';
alter function rag_internal.word_stream(text) owner to rag_owner;
revoke all on function rag_internal.word_stream(text) from public;
grant execute on function rag_internal.word_stream(text) to rag_reader;
