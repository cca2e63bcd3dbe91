-- What a question is scored by. A run of Han or the like is asked for in pairs of characters alone,
-- as single ones would outvote them; a lone character stands for itself.
create or replace function rag_internal.question_lexemes(question text, config text) returns text[]
language sql stable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select tsvector_to_array(
        rag_internal.analyze_folded(config, rag_internal.fold_text(question), false))
$$;

comment on function rag_internal.question_lexemes(text, text) is
    'Distinct lexemes of a question under a configuration by name; each is among those of '
    'rag.analyze of the same text.';
alter function rag_internal.question_lexemes(text, text) owner to rag_owner;
revoke all on function rag_internal.question_lexemes(text, text) from public;
