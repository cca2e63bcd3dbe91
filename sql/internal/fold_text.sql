-- Makes spellings of one word equal before they are parsed: case, accents and compatibility forms.
-- Lower case by ICU, since a database with lc_ctype C folds ASCII alone; recomposed at the end,
-- since decomposed Hangul would not parse as words.
create or replace function rag_internal.fold_text(content text) returns text
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select normalize(regexp_replace(normalize(lower(content collate "und-x-icu"), nfkd),
                                    '[\u0300-\u036f]', '', 'g'), nfc)
$$;

comment on function rag_internal.fold_text(text) is
    'Lower case, without combining accents (U+0300 to U+036F), compatibility forms composed.';
alter function rag_internal.fold_text(text) owner to rag_owner;
revoke all on function rag_internal.fold_text(text) from public;
grant execute on function rag_internal.fold_text(text) to rag_reader;
