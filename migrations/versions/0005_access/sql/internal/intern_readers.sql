-- The immutable sharing class of exactly these readers, in a tenant and at a level.
create or replace function rag_internal.intern_readers(
    principal_ids  bigint[],
    tenant         text,
    security_level smallint
) returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _reader_set bytea := rag_internal.reader_set(principal_ids);
    _acl_id bigint;
begin
    loop
        select a.acl_id into _acl_id
        from rag_internal.acl a
        where a.tenant = intern_readers.tenant
          and a.security_level = intern_readers.security_level
          and a.reader_set = _reader_set;
        exit when found;
        insert into rag_internal.acl (reader_set, tenant, security_level)
        values (_reader_set, intern_readers.tenant, intern_readers.security_level)
        on conflict do nothing
        returning acl_id into _acl_id;
        if found then
            insert into rag_internal.acl_reader (principal_id, acl_id)
            select distinct p, _acl_id from unnest(principal_ids) p;
            exit;
        end if;
    end loop;
    return _acl_id;
end
$$;

comment on function rag_internal.intern_readers(bigint[], text, smallint) is
    'acl_id of the class whose readers are these principals; equal sets of a tenant and level '
    'share one class.';
alter function rag_internal.intern_readers(bigint[], text, smallint) owner to rag_owner;
revoke all on function rag_internal.intern_readers(bigint[], text, smallint) from public;
