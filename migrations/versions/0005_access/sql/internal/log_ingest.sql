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
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _outcomes constant text[] := array['created', 'updated', 'unchanged', 'empty', 'binary',
                                       'too_large', 'skipped', 'failed'];
    _problem text := case
        when log_ingest.run_id is null or log_ingest.collection is null
             or log_ingest.source is null then 'run_id, collection and source are needed'
        when log_ingest.outcome is null or log_ingest.outcome <> all (_outcomes)
            then format('outcome is "%s", but one of: %s', log_ingest.outcome,
                        array_to_string(_outcomes, ', '))
        when octet_length(log_ingest.source) > 8000 or length(log_ingest.collection) > 200
             or length(log_ingest.detail) > 1000
            then 'source has more than 8,000 bytes, collection more than 200 or detail more than '
                 '1,000 characters'
        when log_ingest.chunks < 0 then format('chunks is %s', log_ingest.chunks) end;
begin
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'A row says what happened to one file of a run.';
    end if;
    insert into rag_internal.ingest_log (user_name, role_oid, run_id, collection, source, outcome,
                                         document_id, chunks, detail, reader, tenant)
    values (_identity.who, quote_ident(_identity.who)::regrole, log_ingest.run_id,
            log_ingest.collection, log_ingest.source, log_ingest.outcome, log_ingest.document_id,
            log_ingest.chunks, log_ingest.detail, _identity.reader, _identity.tenant);
end
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
