-- What tells equal sets of readers: their principals in order.
create or replace function rag_internal.reader_set(principal_ids bigint[]) returns bytea
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select sha256(convert_to(array(select distinct p from unnest(principal_ids) p order by p)::text,
                             'UTF8'))
$$;

comment on function rag_internal.reader_set(bigint[]) is
    'rag_internal.acl.reader_set: SHA-256 of the distinct principals in order.';
alter function rag_internal.reader_set(bigint[]) owner to rag_owner;
revoke all on function rag_internal.reader_set(bigint[]) from public;
