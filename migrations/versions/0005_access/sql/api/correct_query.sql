-- Typing errors in a query.
create or replace function rag.correct_query(
    query       text,
    collections text[] default null,
    token       text   default null
)
returns setof rag.correction
language sql stable parallel unsafe
begin atomic
    select t.*
    from rag_internal.caller c,
         lateral rag_internal.correct_query(c.who, c.ticket, correct_query.query,
                                            correct_query.collections, correct_query.token) t;
end;

comment on function rag.correct_query(text, text[], text) is
    'A row per word of the query, in the order of writing: as typed, as corrected, and the '
    'distance (0: it stays). Only words of passages that the caller can see in the collections '
    '(null: all) that it does not get redacted are corrections; quoted '
    'and excluded words, and words with digits, stay.';
alter function rag.correct_query(text, text[], text) owner to rag_owner;
revoke all on function rag.correct_query(text, text[], text) from public;
grant execute on function rag.correct_query(text, text[], text) to rag_reader;
