-- The words of a folded text as lexemes of a configuration, each at its place in the text: what
-- phrases are compared with.
create or replace function rag_internal.parse_text(config text, folded text) returns tsvector
language sql stable parallel safe
begin atomic
    select rag_internal.lexemes_of(
        config,
        coalesce(rag_internal.ascii_words(p.part),
                 rag_internal.indexable_words(rag_internal.word_stream(p.part))),
        null, null)
    from (select case when octet_length(folded) > 100000
                      then rag_internal.fitting_part(folded) else folded end as part
          offset 0) p;
end;

comment on function rag_internal.parse_text(text, text) is
    'to_tsvector of the word stream under a configuration by name, qualified where it is not in '
    'pg_catalog; an unknown one is 42704. Positions end at 16,383.';
alter function rag_internal.parse_text(text, text) owner to rag_owner;
revoke all on function rag_internal.parse_text(text, text) from public;
grant execute on function rag_internal.parse_text(text, text) to rag_reader;
