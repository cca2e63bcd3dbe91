-- All lexemes of a folded text: of its words, and of compounds and identifiers whole. Bound at its
-- creation, since a caller has no use of the schema that its parts are in.
create or replace function rag_internal.analyze_folded(
    config text, folded text, characters boolean default true) returns tsvector
language sql stable parallel safe
begin atomic
    select rag_internal.lexemes_of(
        config,
        coalesce(rag_internal.ascii_words(w.part),
                 rag_internal.indexable_words(rag_internal.word_stream(w.part))),
        case when w.characters is null then w.forms[1]
             else concat_ws(' ', w.forms[1], w.characters) end,
        w.forms[2])
    from (select p.part, rag_internal.compound_forms(p.part) as forms,
                 case when analyze_folded.characters and octet_length(p.part) > char_length(p.part)
                      then rag_internal.single_characters(p.part) end as characters
          from (select case when octet_length(folded) > 100000
                            then rag_internal.fitting_part(folded) else folded end as part
                offset 0) p
          offset 0) w;
end;

comment on function rag_internal.analyze_folded(text, text, boolean) is
    'Lexemes of a folded text under a configuration by name: of its words, its compound forms and, '
    'where characters is true, of its Han and Hangul characters one by one.';
alter function rag_internal.analyze_folded(text, text, boolean) owner to rag_owner;
revoke all on function rag_internal.analyze_folded(text, text, boolean) from public;
grant execute on function rag_internal.analyze_folded(text, text, boolean) to rag_reader;
