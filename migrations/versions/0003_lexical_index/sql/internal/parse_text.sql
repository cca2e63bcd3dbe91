-- The words of a folded text as lexemes of a configuration, each at its place in the text: what
-- phrases are compared with.
--
-- In ASCII it is enough to blank the signs that the default parser makes tokens with: it finds the
-- words of word_stream then, in less time.
--
-- Folded, teh marbuta is heh, which the Arabic stemmer takes for the pronoun "his" and cuts off;
-- but not after an article, where no pronoun can stand. There it gets its teh marbuta back, so that
-- "school" and "the school" have one stem.
create or replace function rag_internal.parse_text(config text, folded text) returns tsvector
language plpgsql stable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _text text := folded;
begin
    if octet_length(_text) > 100000 then
        _text := rag_internal.fitting_part(_text);
    end if;
    if octet_length(_text) = char_length(_text)
        and (octet_length(_text) <= 2046 or _text !~ '[a-z0-9]{255}')
    then
        if strpos(_text, '''s') > 0 then
            _text := regexp_replace(_text, '([a-z0-9])''s(?![a-z0-9])', '\1', 'g');
        end if;
        return to_tsvector(config::regconfig, regexp_replace(_text, '[-_./<&+]', ' ', 'g'));
    end if;
    _text := rag_internal.indexable_words(rag_internal.word_stream(_text));
    if config = 'arabic' then
        _text := regexp_replace(_text, '(?<![\u0620-\u064a])'
            '((?:[\u0628\u0641\u0643\u0648]?\u0627\u0644|\u0644\u0644)[\u0621-\u064a]{3,})'
            '\u0647(?![\u0620-\u064a])', E'\\1\u0629', 'g');
    end if;
    return to_tsvector(config::regconfig, _text);
end
$$;

comment on function rag_internal.parse_text(text, text) is
    'to_tsvector of the word stream under a configuration by name, qualified where it is not in'
    'pg_catalog; an unknown one is 42704. Positions end at 16,383.';
alter function rag_internal.parse_text(text, text) owner to rag_owner;
revoke all on function rag_internal.parse_text(text, text) from public;
grant execute on function rag_internal.parse_text(text, text) to rag_reader;
