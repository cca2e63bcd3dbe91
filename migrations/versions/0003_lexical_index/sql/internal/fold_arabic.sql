-- What Arabic and its neighbours leave to the writer, and the characters without width that part
-- words in scripts without spaces. Apart from fold_text because most text has none of it.
create or replace function rag_internal.fold_arabic(content text) returns text
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select translate(
        -- The non-joiner parts the stem of a Persian word from its affix, which others write with
        -- a space or as one word: all three match. Thai, Lao, Burmese and Khmer mark words with
        -- the zero-width space.
        regexp_replace(regexp_replace(content,
            '([\u0620-\u06ff]+)\u200c([\u0620-\u06ff]+)', '\1 \2 \1\2', 'g'),
            '(?<=[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])\u200b', ' ', 'g'),
        -- alef wasla, alef maqsura, Persian yeh and keheh, teh marbuta (two), heh goal; digits
        E'\u0671\u0649\u06cc\u06a9\u0629\u06c3\u06c1'
         '\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669'
         '\u06f0\u06f1\u06f2\u06f3\u06f4\u06f5\u06f6\u06f7\u06f8\u06f9'
         '\u066b\u066c\u200b\u200c',
        E'\u0627\u064a\u064a\u0643\u0647\u0647\u0647'
         '01234567890123456789.,')
$$;

comment on function rag_internal.fold_arabic(text) is
    'One form of each Arabic letter and of its digits; no zero-width space or non-joiner is left.';
alter function rag_internal.fold_arabic(text) owner to rag_owner;
revoke all on function rag_internal.fold_arabic(text) from public;
grant execute on function rag_internal.fold_arabic(text) to rag_reader;
