-- What is handed to a parser: words that it sees as we do. In ASCII it is enough to blank the signs
-- that the default parser makes other tokens with: it finds the words of word_stream then, in less
-- time.
--
-- Folded, teh marbuta is heh, which the Arabic stemmer takes for the pronoun "his" and cuts off;
-- but not after an article, where no pronoun can stand. There it gets its teh marbuta back, so that
-- "school" and "the school" have one stem.
create or replace function rag_internal.parsable_words(config text, folded text) returns text
language plpgsql immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _text text := folded;
begin
    if octet_length(_text) = char_length(_text)
        and (octet_length(_text) <= 2046 or _text !~ '[a-z0-9]{255}|[^a-z0-9]{255}')
    then
        if strpos(_text, '''s') > 0 then
            _text := regexp_replace(_text, '([a-z0-9])''s(?![a-z0-9])', '\1', 'g');
        end if;
        return regexp_replace(_text, '[-_./<&+~]', ' ', 'g');
    end if;
    _text := rag_internal.indexable_words(rag_internal.word_stream(_text));
    if config = 'arabic' then
        _text := regexp_replace(_text, '(?<![\u0620-\u064a])'
            '((?:[\u0628\u0641\u0643\u0648]?\u0627\u0644|\u0644\u0644)[\u0621-\u064a]{3,})'
            '\u0647(?![\u0620-\u064a])', E'\\1\u0629', 'g');
    end if;
    return _text;
end
$$;

comment on function rag_internal.parsable_words(text, text) is
    'A folded text in which the default parser finds the words of word_stream that a tsvector can '
    'hold and nothing else.';
alter function rag_internal.parsable_words(text, text) owner to rag_owner;
revoke all on function rag_internal.parsable_words(text, text) from public;
grant execute on function rag_internal.parsable_words(text, text) to rag_reader;
