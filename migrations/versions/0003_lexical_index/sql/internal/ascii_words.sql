-- Folded text in ASCII as a parser may have it: it is enough to blank the signs that the default
-- parser makes other tokens with. It finds the words of word_stream then, in less time. Null where
-- word_stream must see to it: beyond ASCII, and where a run is too long.
create or replace function rag_internal.ascii_words(folded text) returns text
language plpgsql immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _text text := folded;
begin
    if octet_length(_text) <> char_length(_text)
        or octet_length(_text) > 2046 and _text ~ '[a-z0-9]{255}|[^a-z0-9]{255}'
    then
        return null;
    end if;
    if strpos(_text, '''s') > 0 then
        _text := regexp_replace(_text, '([a-z0-9])''s(?![a-z0-9])', E'\\1', 'g');
    end if;
    return regexp_replace(_text, '[-_./<&+~]', ' ', 'g');
end
$$;

comment on function rag_internal.ascii_words(text) is
    'A folded text in which the default parser finds the words of word_stream and nothing else; '
    'null where the text is not all ASCII or has a word or gap of 255 characters.';
alter function rag_internal.ascii_words(text) owner to rag_owner;
revoke all on function rag_internal.ascii_words(text) from public;
grant execute on function rag_internal.ascii_words(text) to rag_reader;
