-- Removes documents that are locked. Their entries in the lexical index are dead at once, and leave
-- it with the next merge.
create or replace function rag_internal.delete_documents(document_ids uuid[])
returns setof rag.removal
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _removed rag.removal[] := array(select r from rag_internal.removals(document_ids) r);
begin
    delete from rag_internal.document d where d.document_id = any (document_ids);
    return query select r.* from unnest(_removed) r;
end
$$;

comment on function rag_internal.delete_documents(uuid[]) is 'What was removed.';
alter function rag_internal.delete_documents(uuid[]) owner to rag_owner;
revoke all on function rag_internal.delete_documents(uuid[]) from public;
