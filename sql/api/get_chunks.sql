-- The passages of one document, in order.
create or replace function rag.get_chunks(document_id uuid) returns setof rag.chunk
language sql stable parallel restricted
begin atomic
    select r.*
    from rag_internal.caller c,
         lateral rag_internal.readable_chunks(c.who, c.ticket, get_chunks.document_id) r
    where get_chunks.document_id is not null
    order by r.chunk_index;
end;

comment on function rag.get_chunks(uuid) is
    'The passages of a document in order; no row where the caller may not read it or there is '
    'none.';
alter function rag.get_chunks(uuid) owner to rag_owner;
revoke all on function rag.get_chunks(uuid) from public;
grant execute on function rag.get_chunks(uuid) to rag_reader;
