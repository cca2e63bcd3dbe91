-- Parses folded text under a configuration given by name.
--
-- Folded, teh marbuta is heh, which the Arabic stemmer takes for the pronoun "his" and cuts off;
-- but not after an article, where no pronoun can stand. There it gets its teh marbuta back, so that
-- "school" and "the school" have one stem.
create or replace function rag_internal.parse_text(config text, folded text) returns tsvector
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select to_tsvector(config::regconfig, case when config = 'arabic'
        then regexp_replace(folded, '(?<![\u0620-\u064a])'
                 '((?:[\u0628\u0641\u0643\u0648]?\u0627\u0644|\u0644\u0644)[\u0621-\u064a]{3,})'
                 '\u0647(?![\u0620-\u064a])', E'\\1\u0629', 'g')
        else folded end)
$$;

comment on function rag_internal.parse_text(text, text) is
    'to_tsvector under a configuration by name, qualified where it is not in pg_catalog; an '
    'unknown one is 42704.';
alter function rag_internal.parse_text(text, text) owner to rag_owner;
revoke all on function rag_internal.parse_text(text, text) from public;
grant execute on function rag_internal.parse_text(text, text) to rag_reader;
