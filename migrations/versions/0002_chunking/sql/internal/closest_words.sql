-- Which of the candidates are within an edit distance of a word, in the engine.
create or replace function rag_internal.closest_words(
    word         text,
    candidates   text[],
    max_distance integer
) returns table (candidate text, distance integer)
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return [(near["word"], near["distance"])
        for near in GD["ragsql"].require(2).closest_words(word, candidates, max_distance)]
$$;

comment on function rag_internal.closest_words(text, text[], integer) is
    'Candidates by optimal string alignment distance (a transposition counts 1), nearest first.';
alter function rag_internal.closest_words(text, text[], integer) owner to rag_owner;
revoke all on function rag_internal.closest_words(text, text[], integer) from public;
