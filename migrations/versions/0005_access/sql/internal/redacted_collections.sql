-- The collections whose rules hold for an identity: all that have any, but for its own and those
-- that it was granted to read unredacted.
create or replace function rag_internal.redacted_collections(identity rag_internal.identity)
returns bigint[]
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
begin
    if (identity).sees_everything or not exists (select from rag_internal.redaction_rule) then
        return '{}';
    end if;
    return array(
        select k.collection_id
        from rag_internal.collection k
        where k.collection_id in (select r.collection_id from rag_internal.redaction_rule r)
          -- what is null is nobody's
          and (k.owner_id = any ((identity).principal_ids)
               and k.tenant = (identity).tenant) is not true
          and not exists (select from rag_internal.unredacted_reader u
                          where u.collection_id = k.collection_id
                            and u.principal_id = any ((identity).principal_ids)));
end
$$;

comment on function rag_internal.redacted_collections(rag_internal.identity) is
    'collection_id of each collection, visible or not, that the identity may read redacted only.';
alter function rag_internal.redacted_collections(rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.redacted_collections(rag_internal.identity) from public;
