-- Changes title, tags, metadata, status or validity of a document; nothing is embedded again.
create or replace function rag.update_document(
    document_id uuid,
    title       text        default null,
    tags        text[]      default null,
    metadata    jsonb       default null,
    status      text        default null,
    valid_from  timestamptz default null,
    valid_until timestamptz default null
) returns rag.ingested
language sql volatile parallel unsafe
begin atomic
    select rag_internal.update_document(c.who, c.ticket, update_document.document_id,
                                        update_document.title, update_document.tags,
                                        update_document.metadata, update_document.status,
                                        update_document.valid_from, update_document.valid_until)
    from rag_internal.caller c;
end;

comment on function rag.update_document(uuid, text, text[], jsonb, text, timestamptz,
    timestamptz) is
    'Changes what is given; null leaves as it is (infinity lifts a valid_until). The text stays, '
    'and so do its vectors. An archived document is not searched. P0002 where the caller sees no '
    'such document, 42501 where it may only read it.';
alter function rag.update_document(uuid, text, text[], jsonb, text, timestamptz,
    timestamptz) owner to rag_owner;
revoke all on function rag.update_document(uuid, text, text[], jsonb, text, timestamptz,
    timestamptz) from public;
grant execute on function rag.update_document(uuid, text, text[], jsonb, text, timestamptz,
    timestamptz) to rag_writer;
