-- Makes the lexical index of a collection anew.
create or replace function rag.rebuild_index(collection text) returns bigint
language sql volatile parallel unsafe
begin atomic
    select rag_internal.rebuild_index(c.who, c.ticket, rebuild_index.collection)
    from rag_internal.caller c;
end;

comment on function rag.rebuild_index(text) is
    'Analyses every passage of a collection again and indexes it; returns the number of those. The '
    'collection must be the caller''s own; who writes to it meanwhile waits. Needed after an '
    'upgrade that changed the analyzer or the stemmers; rag.doctor() says so.';
alter function rag.rebuild_index(text) owner to rag_owner;
revoke all on function rag.rebuild_index(text) from public;
grant execute on function rag.rebuild_index(text) to rag_writer;
