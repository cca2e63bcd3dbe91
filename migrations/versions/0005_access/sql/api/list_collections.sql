-- Every collection that the caller may know of.
create or replace function rag.list_collections() returns setof rag.collection_info
language sql stable parallel unsafe
begin atomic
    select i.*
    from rag_internal.caller c, lateral rag_internal.describe_collections(c.who, c.ticket, null) i;
end;

comment on function rag.list_collections() is
    'Collections by name, with all their settings, and counts of the documents, passages and '
    'characters that the caller can see.';
alter function rag.list_collections() owner to rag_owner;
revoke all on function rag.list_collections() from public;
grant execute on function rag.list_collections() to rag_reader;
