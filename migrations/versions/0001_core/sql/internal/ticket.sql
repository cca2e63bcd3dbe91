-- A ticket proves that `who` is the current user of the running statement of this backend.
-- Only rag_internal.caller, which reads the secret with its owner's rights, can make one.
create or replace function rag_internal.ticket(secret bytea, who name) returns bytea
language sql stable parallel restricted
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
as $$
    select sha256(secret || sha256(secret || convert_to(
        format('%s|%s|%s', who, pg_backend_pid(), extract(epoch from statement_timestamp())),
        'UTF8')))
$$;

comment on function rag_internal.ticket(bytea, name) is
    'HMAC-like SHA-256 over user, backend and statement time (RFC 2104 nesting).';
alter function rag_internal.ticket(bytea, name) owner to rag_owner;
revoke all on function rag_internal.ticket(bytea, name) from public;
grant execute on function rag_internal.ticket(bytea, name) to rag_reader;
