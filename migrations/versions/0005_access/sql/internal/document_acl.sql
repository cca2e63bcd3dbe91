-- The sharing class of a document with these readers and this level; null stands for its
-- collection's.
create or replace function rag_internal.document_acl(
    collection     rag_internal.collection,
    readers        text[],
    security_level integer
) returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    perform rag_internal.check_security_level(document_acl.security_level);
    if readers is not null then
        return rag_internal.intern_readers(
            array(select rag_internal.principal_for(r, (collection).tenant) from unnest(readers) r),
            (collection).tenant,
            coalesce(document_acl.security_level::smallint,
                     (select a.security_level from rag_internal.acl a
                      where a.acl_id = (collection).acl_id)));
    elsif document_acl.security_level is not null then
        return rag_internal.level_acl(collection, document_acl.security_level::smallint);
    end if;
    return null;
end
$$;

comment on function rag_internal.document_acl(rag_internal.collection, text[], integer) is
    'acl_id of the class, null where both arguments are; 22023 for a level out of range.';
alter function rag_internal.document_acl(rag_internal.collection, text[], integer)
    owner to rag_owner;
revoke all on function rag_internal.document_acl(rag_internal.collection, text[], integer)
    from public;
