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
    -- categories P, S, Z, No, Cc, Cf and Co of Unicode
    _signs constant text := E'['
        '\\u0080-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf\\u00d7\\u00f7\\u02c2-\\u02c5'
        '\\u02d2-\\u02df\\u02e5-\\u02eb\\u02ed\\u02ef-\\u02ff\\u0375\\u037e\\u0384\\u0385'
        '\\u0387\\u03f6'
        '\\u0482\\u055a-\\u055f\\u0589-\\u058f\\u05be\\u05c0\\u05c3\\u05c6\\u05f3-\\u060f'
        '\\u061b-\\u061f'
        '\\u066a-\\u066d\\u06d4\\u06dd\\u06de\\u06e9\\u06fd\\u06fe\\u0700-\\u070f\\u07f6-\\u07f9'
        '\\u07fe\\u07ff\\u0830-\\u083e\\u085e\\u0888\\u0890\\u0891\\u08e2\\u0964\\u0965\\u0970'
        '\\u09f2-\\u09fb\\u09fd\\u0a76\\u0af0\\u0af1\\u0b70\\u0b72-\\u0b77\\u0bf0-\\u0bfa'
        '\\u0c77-\\u0c7f'
        '\\u0c84\\u0d4f\\u0d58-\\u0d5e\\u0d70-\\u0d79\\u0df4\\u0e3f\\u0e4f\\u0e5a\\u0e5b'
        '\\u0f01-\\u0f17'
        '\\u0f1a-\\u0f1f\\u0f2a-\\u0f34\\u0f36\\u0f38\\u0f3a-\\u0f3d\\u0f85\\u0fbe-\\u0fc5'
        '\\u0fc7-\\u0fda'
        '\\u104a-\\u104f\\u109e\\u109f\\u10fb\\u1360-\\u137c\\u1390-\\u1399\\u1400\\u166d'
        '\\u166e\\u1680'
        '\\u169b\\u169c\\u16eb-\\u16ed\\u1735\\u1736\\u17d4-\\u17d6\\u17d8-\\u17db'
        '\\u17f0-\\u180a\\u180e'
        '\\u1940-\\u1945\\u19da-\\u19ff\\u1a1e\\u1a1f\\u1aa0-\\u1aa6\\u1aa8-\\u1aad\\u1b5a-\\u1b6a'
        '\\u1b74-\\u1b7e\\u1bfc-\\u1bff\\u1c3b-\\u1c3f\\u1c7e\\u1c7f\\u1cc0-\\u1cc7\\u1cd3\\u1fbd'
        '\\u1fbf-\\u1fc1\\u1fcd-\\u1fcf\\u1fdd-\\u1fdf\\u1fed-\\u1fef\\u1ffd-\\u2070\\u2074-\\u207e'
        '\\u2080-\\u208e\\u20a0-\\u20c0\\u2100\\u2101\\u2103-\\u2106\\u2108\\u2109\\u2114'
        '\\u2116-\\u2118'
        '\\u211e-\\u2123\\u2125\\u2127\\u2129\\u212e\\u213a\\u213b\\u2140-\\u2144\\u214a-\\u214d'
        '\\u214f-\\u215f\\u2189-\\u2bff\\u2ce5-\\u2cea\\u2cf9-\\u2cff\\u2d70\\u2e00-\\u2e2e'
        '\\u2e30-\\u3004'
        '\\u3008-\\u3020\\u3030\\u3036\\u3037\\u303d-\\u303f\\u309b\\u309c\\u30a0\\u30fb'
        '\\u3190-\\u319f'
        '\\u31c0-\\u31ef\\u3200-\\u33ff\\u4dc0-\\u4dff\\ua490-\\ua4c6\\ua4fe\\ua4ff'
        '\\ua60d-\\ua60f\\ua673'
        '\\ua67e\\ua6f2-\\ua716\\ua720\\ua721\\ua789\\ua78a\\ua828-\\ua82b\\ua830-\\ua839'
        '\\ua874-\\ua877'
        '\\ua8ce\\ua8cf\\ua8f8-\\ua8fa\\ua8fc\\ua92e\\ua92f\\ua95f\\ua9c1-\\ua9cd\\ua9de\\ua9df'
        '\\uaa5c-\\uaa5f\\uaa77-\\uaa79\\uaade\\uaadf\\uaaf0\\uaaf1\\uab5b\\uab6a\\uab6b\\uabeb'
        '\\ue000-\\uf8ff\\ufb29\\ufbb2-\\ufbc2\\ufd3e-\\ufd4f\\ufdcf\\ufdfc-\\ufdff\\ufe10-\\ufe19'
        '\\ufe30-\\ufe6b\\ufeff-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65\\uffe0-\\ufffd'
        '\\U0001d000-\\U0001d1ff\\U0001f000-\\U0001faff\\U0001fb00-\\U0001fbca'
        '\\U000e0000-\\U000e00ff'
        '\\U000f0000-\\U0010ffff'
        ']+';
    _text text := content;
begin
    if octet_length(_text) = char_length(_text) then
        return lower(_text collate "C");
    end if;
    _text := regexp_replace(_text, E'[\\u2018\\u2019\\u201b\\u2032\\u02bc]', '''', 'g');
    _text := regexp_replace(_text, E'[\\u2010-\\u2013\\u2212]', '-', 'g');
    _text := regexp_replace(_text,
        E'[\\u00a0-\\u00a7\\u00a9\\u00ab\\u00ae\\u00b0\\u00b1\\u00b6\\u00bb\\u00bf\\u00d7'
         '\\u2014-\\u2017'
        '\\u201c-\\u2027\\u2030\\u2039\\u203a\\u2190-\\u21ff\\u2500-\\u25ff]+', ' ', 'g');
    if octet_length(_text) = char_length(_text) then
        return lower(_text collate "C");
    end if;

    -- marks apart from their letters, then without: accents, Arabic vowels, hamza and Koranic
    -- signs, tatweel, soft hyphens, joiners, directions, variation selectors; but the Cyrillic
    -- short i is a letter of its own, which stemmers know
    _text := regexp_replace(
        replace(replace(lower(normalize(_text, nfkd) collate "und-x-icu"),
                        E'\u0438\u0306', E'\u0439'), E'\u02bc', ''''),
        E'[\\u0300-\\u036f\\u0610-\\u061a\\u061c\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc'
        '\\u06df-\\u06e8\\u06ea-\\u06ed\\u08d3-\\u08e1\\u08e3-\\u08ff\\u00ad\\u200d-\\u200f'
        '\\u202a-\\u202e\\u2060\\u2066-\\u2069\\u20d0-\\u20f0\\ufe00-\\ufe0f\\ufeff]+', '', 'g');
    if octet_length(_text) = char_length(_text) then
        return _text;
    end if;
    -- The non-joiner parts the stem of a Persian word from its affix, which others write with a
    -- space or as one word: all three match. Thai, Lao, Burmese and Khmer mark words with the
    -- zero-width space.
    if _text ~ E'[\\u0600-\\u08ff\\u200b\\u200c]' then
        _text := translate(
            regexp_replace(regexp_replace(_text,
                E'([\\u0620-\\u06ff]+)\\u200c([\\u0620-\\u06ff]+)', E'\\1 \\2 \\1\\2', 'g'),
                E'(?<=[\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff])\\u200b', ' ', 'g'),
            -- alef wasla, alef maqsura, Persian yeh and keheh, teh marbuta (two), heh goal; digits
            E'\u0671\u0649\u06cc\u06a9\u0629\u06c3\u06c1'
             '\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669'
             '\u06f0\u06f1\u06f2\u06f3\u06f4\u06f5\u06f6\u06f7\u06f8\u06f9'
             '\u066b\u066c\u200b\u200c',
            E'\u0627\u064a\u064a\u0643\u0647\u0647\u0647'
             '01234567890123456789.,');
    end if;
    -- Letters that keyboards elsewhere lack and Unicode does not take apart: sharp s, ligatures,
    -- letters with strokes, dotless i, final sigma, the Catalan double l; and digits: Devanagari,
    -- Bengali, Thai, Lao, Burmese, Khmer
    if _text ~ E'[\\u00b7\\u00df\\u00e6\\u00f8\\u00fe\\u0111\\u0127\\u0131\\u0142\\u0153\\u03c2'
               '\\u0966-\\u096f\\u09e6-\\u09ef\\u0e50-\\u0e59\\u0ed0-\\u0ed9\\u1040-\\u1049'
               '\\u17e0-\\u17e9]' then
        _text := translate(
            replace(replace(replace(replace(replace(_text,
                E'\u00df', 'ss'), E'\u00e6', 'ae'), E'\u0153', 'oe'), E'\u00fe', 'th'),
                E'l\u00b7l', 'll'),
            E'\u0111\u0127\u0131\u0142\u00f8\u03c2'
             '\u0966\u0967\u0968\u0969\u096a\u096b\u096c\u096d\u096e\u096f'
             '\u09e6\u09e7\u09e8\u09e9\u09ea\u09eb\u09ec\u09ed\u09ee\u09ef'
             '\u0e50\u0e51\u0e52\u0e53\u0e54\u0e55\u0e56\u0e57\u0e58\u0e59'
             '\u0ed0\u0ed1\u0ed2\u0ed3\u0ed4\u0ed5\u0ed6\u0ed7\u0ed8\u0ed9'
             '\u1040\u1041\u1042\u1043\u1044\u1045\u1046\u1047\u1048\u1049'
             '\u17e0\u17e1\u17e2\u17e3\u17e4\u17e5\u17e6\u17e7\u17e8\u17e9',
            E'dhilo\u03c3'
             '012345678901234567890123456789012345678901234567890123456789');
    end if;
    _text := regexp_replace(_text, _signs, ' ', 'g');
    return case when _text is nfc normalized then _text else normalize(_text, nfc) end;
end
$$;

comment on function rag_internal.fold_text(text) is
    'Lower case, without accents, vowel marks and invisible characters, compatibility forms '
    'composed; one form of each apostrophe, hyphen and Arabic letter; signs beyond ASCII blank.';
alter function rag_internal.fold_text(text) owner to rag_owner;
revoke all on function rag_internal.fold_text(text) from public;
grant execute on function rag_internal.fold_text(text) to rag_reader;
