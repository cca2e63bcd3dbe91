-- Makes spellings of one word equal before they are parsed, in documents and in questions: case,
-- accents, compatibility forms, marks that draw nothing, kinds of apostrophes and hyphens, and what
-- Arabic leaves to the writer. Signs beyond ASCII become blanks, so that afterwards every character
-- beyond ASCII belongs to a word, whatever the locale of the database thinks of it.
--
-- Lower case by ICU, since a database with lc_ctype C folds ASCII alone; recomposed at the end,
-- since decomposed Hangul would not parse as words. Typography is replaced first: much text has
-- nothing else beyond ASCII and is done then.
create or replace function rag_internal.fold_text(content text) returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    -- categories P, S, Z, Cc, Cf and Co of Unicode
    _signs constant text := '['
        '\u0080-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7'
        '\u02c2-\u02c5\u02d2-\u02df\u02e5-\u02eb\u02ed\u02ef-\u02ff\u0375\u037e'
        '\u0384\u0385\u0387\u03f6\u0482\u055a-\u055f\u0589-\u058f\u05be\u05c0\u05c3'
        '\u05c6\u05f3-\u060f\u061b-\u061f\u066a-\u066d\u06d4\u06dd\u06de\u06e9'
        '\u06fd\u06fe\u0700-\u070f\u07f6-\u07f9\u07fe\u07ff\u0830-\u083e\u085e\u0888'
        '\u0890\u0891\u08e2\u0964\u0965\u0970\u09f2\u09f3\u09fa\u09fb\u09fd\u0a76'
        '\u0af0\u0af1\u0b70\u0bf3-\u0bfa\u0c77\u0c7f\u0c84\u0d4f\u0d79\u0df4\u0e3f'
        '\u0e4f\u0e5a\u0e5b\u0f01-\u0f17\u0f1a-\u0f1f\u0f34\u0f36\u0f38\u0f3a-\u0f3d'
        '\u0f85\u0fbe-\u0fc5\u0fc7-\u0fda\u104a-\u104f\u109e\u109f\u10fb\u1360-\u1368'
        '\u1390-\u1399\u1400\u166d\u166e\u1680\u169b\u169c\u16eb-\u16ed\u1735\u1736'
        '\u17d4-\u17d6\u17d8-\u17db\u1800-\u180a\u180e\u1940-\u1945\u19de-\u19ff'
        '\u1a1e\u1a1f\u1aa0-\u1aa6\u1aa8-\u1aad\u1b5a-\u1b6a\u1b74-\u1b7e\u1bfc-\u1bff'
        '\u1c3b-\u1c3f\u1c7e\u1c7f\u1cc0-\u1cc7\u1cd3\u1fbd\u1fbf-\u1fc1\u1fcd-\u1fcf'
        '\u1fdd-\u1fdf\u1fed-\u1fef\u1ffd-\u206f\u207a-\u207e\u208a-\u208e\u20a0-\u20c0'
        '\u2100\u2101\u2103-\u2106\u2108\u2109\u2114\u2116-\u2118\u211e-\u2123\u2125'
        '\u2127\u2129\u212e\u213a\u213b\u2140-\u2144\u214a-\u214d\u214f\u218a-\u244a'
        '\u249c-\u24e9\u2500-\u2775\u2794-\u2bff\u2ce5-\u2cea\u2cf9-\u2cfc\u2cfe\u2cff'
        '\u2d70\u2e00-\u2e2e\u2e30-\u3004\u3008-\u3020\u3030\u3036\u3037\u303d-\u303f'
        '\u309b\u309c\u30a0\u30fb\u3190\u3191\u3196-\u319f\u31c0-\u31e3\u3200-\u321e'
        '\u322a-\u3247\u3250\u3260-\u327f\u328a-\u32b0\u32c0-\u33ff\u4dc0-\u4dff'
        '\ua490-\ua4c6\ua4fe\ua4ff\ua60d-\ua60f\ua673\ua67e\ua6f2-\ua716\ua720\ua721'
        '\ua789\ua78a\ua828-\ua82b\ua836-\ua839\ua874-\ua877\ua8ce\ua8cf\ua8f8-\ua8fa'
        '\ua8fc\ua92e\ua92f\ua95f\ua9c1-\ua9cd\ua9de\ua9df\uaa5c-\uaa5f\uaa77-\uaa79'
        '\uaade\uaadf\uaaf0\uaaf1\uab5b\uab6a\uab6b\uabeb\ue000-\uf8ff\ufb29'
        '\ufbb2-\ufbc2\ufd3e-\ufd4f\ufdcf\ufdfc-\ufdff\ufe10-\ufe19\ufe30-\ufe6b'
        '\ufeff-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\ufffd'
        '\U0001d000-\U0001d1ff\U0001f000-\U0001faff\U0001fb00-\U0001fbca'
        '\U000e0000-\U000e00ff\U000f0000-\U0010ffff'
        ']+';
    _text text := content;
begin
    if octet_length(_text) = char_length(_text) then
        return lower(_text collate "C");
    end if;
    _text := regexp_replace(_text, '[\u2018\u2019\u201b\u2032\u02b9\u02bc]', '''', 'g');
    _text := regexp_replace(_text, '[\u2010-\u2013\u2212]', '-', 'g');
    _text := regexp_replace(_text,
        '[\u00a0-\u00a7\u00a9\u00ab\u00ae\u00b0\u00b1\u00b6\u00bb\u00bf\u00d7\u2014-\u2017'
        '\u201c-\u2027\u2030\u2039\u203a\u2190-\u21ff\u2500-\u25ff]+', ' ', 'g');
    if octet_length(_text) = char_length(_text) then
        return lower(_text collate "C");
    end if;

    -- marks apart from their letters, then without: accents, Arabic vowels, hamza and Koranic
    -- signs, tatweel, soft hyphens, joiners, directions, variation selectors; but the Cyrillic
    -- short i is a letter of its own, which stemmers know
    _text := regexp_replace(
        replace(lower(normalize(_text, nfkd) collate "und-x-icu"), E'\u0438\u0306', E'\u0439'),
        '[\u0300-\u036f\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06dc'
        '\u06df-\u06e8\u06ea-\u06ed\u08d3-\u08e1\u08e3-\u08ff\u00ad\u200d-\u200f'
        '\u202a-\u202e\u2060\u2066-\u2069\u20d0-\u20f0\ufe00-\ufe0f\ufeff]+', '', 'g');
    if _text ~ '[\u0600-\u08ff\u200b\u200c]' then
        _text := rag_internal.fold_arabic(_text);
    end if;
    if _text ~ '[\u00b7\u00df\u00e6\u00f8\u00fe\u0111\u0127\u0131\u0142\u0153\u03c2'
               '\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59\u0ed0-\u0ed9\u1040-\u1049'
               '\u17e0-\u17e9]' then
        _text := rag_internal.fold_letters(_text);
    end if;
    return normalize(regexp_replace(_text, _signs, ' ', 'g'), nfc);
end
$$;

comment on function rag_internal.fold_text(text) is
    'Lower case, without accents, vowel marks and invisible characters, compatibility forms '
    'composed; one form of each apostrophe, hyphen and Arabic letter; signs beyond ASCII are blank.';
alter function rag_internal.fold_text(text) owner to rag_owner;
revoke all on function rag_internal.fold_text(text) from public;
grant execute on function rag_internal.fold_text(text) to rag_reader;
