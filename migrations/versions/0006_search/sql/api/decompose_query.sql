-- What a question asks for, part by part.
create or replace function rag.decompose_query(query text) returns setof rag.query_part
language sql stable parallel unsafe
begin atomic
    select p.*
    from rag_internal.caller c,
         lateral rag_internal.decompose_query(c.who, c.ticket, decompose_query.query) p;
end;

comment on function rag.decompose_query(text) is
    'The parts of a question in English, cut at "and", "then", "also", ? and ; where both sides '
    'stand by themselves. query: what to search for, with -exclusions made of not, without, except '
    'and excluding; excluded: the same as a list. strategy: bm25 for names, codes and quotes, '
    'fuzzy for an odd spelling, else hybrid. min_updated_at, max_updated_at: of since, after, '
    'before, until and a date, in the time zone of the session. reason: what was seen in it.';
alter function rag.decompose_query(text) owner to rag_owner;
revoke all on function rag.decompose_query(text) from public;
grant execute on function rag.decompose_query(text) to rag_reader;
