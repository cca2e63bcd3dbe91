-- One collection.
create or replace function rag.describe_collection(name text) returns setof rag.collection_info
language sql stable parallel unsafe
begin atomic
    select i.*
    from rag_internal.caller c,
         lateral rag_internal.describe_collections(c.who, c.ticket,
                                                   array[describe_collection.name]) i;
end;

comment on function rag.describe_collection(text) is
    'The row of rag.list_collections() for one name; P0002 where the caller sees none.';
alter function rag.describe_collection(text) owner to rag_owner;
revoke all on function rag.describe_collection(text) from public;
grant execute on function rag.describe_collection(text) to rag_reader;
