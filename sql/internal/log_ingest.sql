-- Writes a row of the log, in the caller's own name.
create or replace function rag_internal.log_ingest(
    who         name,
    ticket      bytea,
    run_id      uuid,
    collection  text,
    source      text,
    outcome     text,
    document_id uuid,
    chunks      integer,
    detail      text
) returns void
language sql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
as $$
    insert into rag_internal.ingest_log (user_name, run_id, collection, source, outcome,
                                         document_id, chunks, detail)
    select i.who, log_ingest.run_id, log_ingest.collection, log_ingest.source, log_ingest.outcome,
           log_ingest.document_id, log_ingest.chunks, log_ingest.detail
    from rag_internal.authenticate(who, ticket) i
$$;

comment on function rag_internal.log_ingest(name, bytea, uuid, text, text, text, uuid, integer,
    text) is
    'See rag.log_ingest.';
alter function rag_internal.log_ingest(name, bytea, uuid, text, text, text, uuid, integer,
    text) owner to rag_owner;
revoke all on function rag_internal.log_ingest(name, bytea, uuid, text, text, text, uuid, integer,
    text) from public;
grant execute on function rag_internal.log_ingest(name, bytea, uuid, text, text, text, uuid,
    integer, text) to rag_writer;
