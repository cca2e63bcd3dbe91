-- Names a content without letting anybody check a guess at it: a hash of a short secret could be
-- found by trying.
create or replace function rag_internal.keyed_hash(input bytea) returns bytea
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
begin
    return (
        select sha256(k.secret || sha256(k.secret || convert_to('keyed hash|', 'UTF8') || input))
        from rag_internal.ticket_key k);
end
$$;

comment on function rag_internal.keyed_hash(bytea) is
    'HMAC-like SHA-256 under the secret of this database (RFC 2104 nesting).';
alter function rag_internal.keyed_hash(bytea) owner to rag_owner;
revoke all on function rag_internal.keyed_hash(bytea) from public;
