-- Makes spellings of one word equal before they are parsed, in documents and in questions: case,
-- accents, compatibility forms, marks that draw nothing, and what Arabic leaves to the writer.
-- Lower case by ICU, since a database with lc_ctype C folds ASCII alone; recomposed at the end,
-- since decomposed Hangul would not parse as words. Text in ASCII has nothing else to fold, and
-- without the characters asked for there is nothing to translate: both are only faster.
create or replace function rag_internal.fold_text(content text) returns text
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select case
        when octet_length(content) = char_length(content) then lowered
        when content !~ '[\u0600-\u08ff\u200b\u200c\ufb50-\ufefc]' then normalize(bare, nfc)
        else normalize(translate(
            case when strpos(content, E'\u200b') + strpos(content, E'\u200c') = 0 then bare
                 -- The non-joiner parts the stem of a Persian word from its affix, which others
                 -- write with a space or as one word: all three match. Thai, Lao, Burmese and
                 -- Khmer mark words with the zero-width space.
                 else regexp_replace(regexp_replace(bare,
                          '([\u0620-\u06ff]+)\u200c([\u0620-\u06ff]+)', '\1 \2 \1\2', 'g'),
                          '(?<=[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])\u200b', ' ', 'g') end,
            -- alef wasla, alef maqsura, Persian yeh and keheh, teh marbuta (two), heh goal; digits
            E'\u0671\u0649\u06cc\u06a9\u0629\u06c3\u06c1'
             '\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669'
             '\u06f0\u06f1\u06f2\u06f3\u06f4\u06f5\u06f6\u06f7\u06f8\u06f9'
             '\u066b\u066c\u200b\u200c',
            E'\u0627\u064a\u064a\u0643\u0647\u0647\u0647'
             '01234567890123456789.,'), nfc)
        end
    -- marks apart from their letters, then without: accents, Arabic vowels, hamza and Koranic
    -- signs, tatweel, soft hyphens, joiners, directions, variation selectors
    from (select lowered, regexp_replace(
              normalize(lowered, nfkd),
              '[\u0300-\u036f\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06dc'
              '\u06df-\u06e8\u06ea-\u06ed\u08d3-\u08e1\u08e3-\u08ff\u00ad\u200d-\u200f'
              '\u202a-\u202e\u2060\u2066-\u2069\ufe00-\ufe0f\ufeff]+', '', 'g') as bare
          from (select lower(content collate "und-x-icu") as lowered) l) b
$$;

comment on function rag_internal.fold_text(text) is
    'Lower case, without accents, vowel marks and invisible characters, compatibility forms '
    'composed; one form of each Arabic letter and of its digits.';
alter function rag_internal.fold_text(text) owner to rag_owner;
revoke all on function rag_internal.fold_text(text) from public;
grant execute on function rag_internal.fold_text(text) to rag_reader;
