-- Tells empty results apart.
create or replace function rag.search_status(token text default null) returns text
language sql stable parallel unsafe
begin atomic
    select rag_internal.search_status(c.who, c.ticket, search_status.token)
    from rag_internal.caller c;
end;

comment on function rag.search_status(text) is
    'How the last search of this session ended: found; no match; past the end (of the pages); '
    'abstained (the reranked passages are below the gate); nothing visible (the caller can read '
    'nothing in the collections searched). Null before the first search, and for another '
    'identity than the one that searched.';
alter function rag.search_status(text) owner to rag_owner;
revoke all on function rag.search_status(text) from public;
grant execute on function rag.search_status(text) to rag_reader;
