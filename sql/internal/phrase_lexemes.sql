-- What a passage must have for a phrase to be in it, so that few passages are asked for the order.
create or replace function rag_internal.phrase_lexemes(phrase text, config text) returns text[]
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select case when (numnode(rag_internal.phrase_query(phrase, config))) = 1
                -- as it is in the query, without its quotes
                then tsvector_to_array(
                    rag_internal.phrase_query(phrase, config)::text::tsvector)
                else array(
                    select min(t.lexeme)
                    from unnest(rag_internal.parse_text(config, rag_internal.fold_text(phrase))) t,
                         unnest(t.positions) p
                    group by p
                    -- a dictionary may know several lexemes for a word, any of which will do
                    having count(*) = 1) end
$$;

comment on function rag_internal.phrase_lexemes(text, text) is
    'Lexemes that stand alone at their position in the phrase.';
alter function rag_internal.phrase_lexemes(text, text) owner to rag_owner;
revoke all on function rag_internal.phrase_lexemes(text, text) from public;
