-- The sharing class of a document with these readers and this level; null leaves either as it is
-- stored, and stands for the collection's where nothing is.
create or replace function rag_internal.document_acl(
    collection     rag_internal.collection,
    readers        text[],
    security_level integer,
    stored         rag_internal.acl
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
            coalesce(document_acl.security_level::smallint, (stored).security_level,
                     (select a.security_level from rag_internal.acl a
                      where a.acl_id = (collection).acl_id)));
    elsif document_acl.security_level is not null and (stored).reader_set is not null then
        return rag_internal.intern_readers(
            array(select ar.principal_id from rag_internal.acl_reader ar
                  where ar.acl_id = (stored).acl_id),
            (stored).tenant, document_acl.security_level::smallint);
    elsif document_acl.security_level is not null then
        return rag_internal.level_acl(collection, document_acl.security_level::smallint);
    end if;
    return null;
end
$$;

comment on function rag_internal.document_acl(rag_internal.collection, text[], integer,
    rag_internal.acl) is
    'acl_id of the class, null where readers and level are; 22023 for a level out of range.';
alter function rag_internal.document_acl(rag_internal.collection, text[], integer,
    rag_internal.acl) owner to rag_owner;
revoke all on function rag_internal.document_acl(rag_internal.collection, text[], integer,
    rag_internal.acl) from public;
