-- Whether the lexical index says what the passages say.
create or replace function rag.verify_index(collection text) returns setof rag.index_difference
language sql stable parallel unsafe
begin atomic
    select d.*
    from rag_internal.caller c,
         lateral rag_internal.verify_index(c.who, c.ticket, verify_index.collection) d;
end;

comment on function rag.verify_index(text) is
    'Analyses the passages of a collection anew and reports where the lexical index differs: no '
    'row means none. The collection must be the caller''s own. rag.rebuild_index mends what is '
    'reported.';
alter function rag.verify_index(text) owner to rag_owner;
revoke all on function rag.verify_index(text) from public;
grant execute on function rag.verify_index(text) to rag_writer;
