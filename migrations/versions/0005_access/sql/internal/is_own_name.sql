-- Whether the name of a collection alone means the identity's own, when it writes.
create or replace function rag_internal.is_own_name(
    identity   rag_internal.identity,
    collection rag_internal.collection
) returns boolean
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select (identity).sees_everything
        or ((collection).tenant = (identity).tenant
       and exists (select from rag_internal.principal o
                   where o.principal_id = (collection).owner_id
                     and (rag_internal.reader_name(o) = (identity).reader
                          or o.principal_id = any ((identity).principal_ids))))
$$;

comment on function rag_internal.is_own_name(rag_internal.identity, rag_internal.collection) is
    'Whether the identity, or a role that it has usage of, owns the collection in its tenant, or '
    'it sees everything.';
alter function rag_internal.is_own_name(rag_internal.identity,
    rag_internal.collection) owner to rag_owner;
revoke all on function rag_internal.is_own_name(rag_internal.identity,
    rag_internal.collection) from public;
