-- The passages of one document, in order.
create or replace function rag.get_chunks(document_id uuid, token text default null)
returns setof rag.chunk
language sql stable parallel unsafe
begin atomic
    select r.*
    from rag_internal.caller c,
         lateral rag_internal.readable_chunks(c.who, c.ticket, get_chunks.document_id,
                                              get_chunks.token) r
    where get_chunks.document_id is not null
    order by r.chunk_index;
end;

comment on function rag.get_chunks(uuid, text) is
    'The passages of a document in order; no row where the caller may not read it or there is '
    'none. Where redaction rules hold for the caller, their texts are redacted (offsets stay those '
    'of the original), and embed_text and tsv are null.';
alter function rag.get_chunks(uuid, text) owner to rag_owner;
revoke all on function rag.get_chunks(uuid, text) from public;
grant execute on function rag.get_chunks(uuid, text) to rag_reader;
