-- Removes a collection with all that is in it.
create or replace function rag.drop_collection(name text) returns void
language sql volatile parallel unsafe
begin atomic
    select rag_internal.drop_collection(c.who, c.ticket, drop_collection.name)
    from rag_internal.caller c;
end;

comment on function rag.drop_collection(text) is
    'Removes a collection, its documents, passages and vectors. P0002 where the caller sees none, '
    '42501 where it is another''s.';
alter function rag.drop_collection(text) owner to rag_owner;
revoke all on function rag.drop_collection(text) from public;
grant execute on function rag.drop_collection(text) to rag_writer;
