-- Notes what happened to a file of a load.
create or replace function rag.log_ingest(
    run_id      uuid,
    collection  text,
    source      text,
    outcome     text,
    document_id uuid    default null,
    chunks      integer default null,
    detail      text    default null
) returns void
language sql volatile parallel unsafe
begin atomic
    select rag_internal.log_ingest(c.who, c.ticket, log_ingest.run_id, log_ingest.collection,
                                   log_ingest.source, log_ingest.outcome, log_ingest.document_id,
                                   log_ingest.chunks, log_ingest.detail)
    from rag_internal.caller c;
end;

comment on function rag.log_ingest(uuid, text, text, text, uuid, integer, text) is
    'Adds a row to rag.ingest_log, in the caller''s own name. outcome: created, updated, '
    'unchanged, empty, binary, too_large, skipped or failed; detail: a reason of at most 1,000 '
    'characters, never text of the document.';
alter function rag.log_ingest(uuid, text, text, text, uuid, integer, text) owner to rag_owner;
revoke all on function rag.log_ingest(uuid, text, text, text, uuid, integer, text) from public;
grant execute on function rag.log_ingest(uuid, text, text, text, uuid, integer, text) to rag_writer;
