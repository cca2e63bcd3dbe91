-- A phrase by the places of its words, so that stop words count as the distance they make: "state
-- of the art" is 'state' <3> 'art'. Where a dictionary gives several lexemes at one, any will do.
create or replace function rag_internal.phrase_query(phrase text, config text) returns tsquery
language sql stable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select coalesce(
        -- c++ is not the c that its words are
        (select quote_literal(e.lexeme)::tsquery
         from unnest((rag_internal.compound_forms(rag_internal.fold_text(phrase)))[2]::tsvector) e
         where e.lexeme = rag_internal.fold_text(phrase)),
        (select string_agg(
                    coalesce('<' || p.place - p.previous || '> ', '') || p.lexemes, ' '
                    order by p.place)::tsquery
         from (select o.place, o.lexemes, lag(o.place) over (order by o.place) as previous
               from (select place,
                            '(' || string_agg('''' || replace(replace(l.lexeme, '\', '\\'), '''',
                                                              '''''') || '''', '|') || ')'
                                as lexemes
                     from unnest(rag_internal.parse_text(config,
                                                         rag_internal.fold_text(phrase))) l,
                          unnest(l.positions) place
                     group by place
                     order by place
                     limit 500) o) p))
$$;

comment on function rag_internal.phrase_query(text, text) is
    'The tsquery of a phrase under a configuration by name, met by parse_text of a text; null '
    'where the configuration leaves nothing of it. The first 500 words count.';
alter function rag_internal.phrase_query(text, text) owner to rag_owner;
revoke all on function rag_internal.phrase_query(text, text) from public;
