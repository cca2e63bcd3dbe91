-- Letters that keyboards elsewhere lack and Unicode does not take apart, and digits of Indic and
-- south-east Asian scripts. Apart from fold_text because most text has none of them.
create or replace function rag_internal.fold_letters(content text) returns text
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select translate(
        replace(replace(replace(replace(replace(content,
            E'\u00df', 'ss'), E'\u00e6', 'ae'), E'\u0153', 'oe'), E'\u00fe', 'th'),
            E'l\u00b7l', 'll'),
        -- letters with strokes, dotless i, final sigma; digits: Devanagari, Bengali, Thai, Lao,
        -- Burmese, Khmer
        E'\u0111\u0127\u0131\u0142\u00f8\u03c2'
         '\u0966\u0967\u0968\u0969\u096a\u096b\u096c\u096d\u096e\u096f'
         '\u09e6\u09e7\u09e8\u09e9\u09ea\u09eb\u09ec\u09ed\u09ee\u09ef'
         '\u0e50\u0e51\u0e52\u0e53\u0e54\u0e55\u0e56\u0e57\u0e58\u0e59'
         '\u0ed0\u0ed1\u0ed2\u0ed3\u0ed4\u0ed5\u0ed6\u0ed7\u0ed8\u0ed9'
         '\u1040\u1041\u1042\u1043\u1044\u1045\u1046\u1047\u1048\u1049'
         '\u17e0\u17e1\u17e2\u17e3\u17e4\u17e5\u17e6\u17e7\u17e8\u17e9',
        E'dhilo\u03c3'
         '012345678901234567890123456789012345678901234567890123456789')
$$;

comment on function rag_internal.fold_letters(text) is
    'Sharp s, ligatures, letters with strokes, dotless i and final sigma as others write them; '
    'digits in ASCII.';
alter function rag_internal.fold_letters(text) owner to rag_owner;
revoke all on function rag_internal.fold_letters(text) from public;
grant execute on function rag_internal.fold_letters(text) to rag_reader;
