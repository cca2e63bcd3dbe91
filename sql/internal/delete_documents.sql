-- Removes documents that are locked. Their entries in the lexical index are dead at once, and leave
-- it with the next merge. Who may delete what it cannot read, or reads redacted, does not learn its
-- source by it.
create or replace function rag_internal.delete_documents(
    identity     rag_internal.identity,
    document_ids uuid[]
) returns setof rag.removal
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _readable uuid[] := array(
        select d.document_id from rag_internal.document d
        where d.document_id = any (delete_documents.document_ids)
          and d.acl_id in (select rag_internal.visible_acls(identity))
          and d.collection_id <> all (rag_internal.redacted_collections(identity)));
    _removed rag.removal[] := array(
        select r from rag_internal.removals(delete_documents.document_ids) r);
begin
    -- answers are of ids only; those that another session is removing are as good as gone
    delete from rag_internal.cached_answer a
    where a.answer_id in (
        select e.answer_id from rag_internal.cached_answer e
        where e.collection_ids && array(
                  select d.collection_id from rag_internal.document d
                  where d.document_id = any (delete_documents.document_ids))
        for update skip locked);
    delete from rag_internal.document d
    where d.document_id = any (delete_documents.document_ids);
    return query
        select r.kind, r.document_id, r.collection,
               case when r.document_id = any (_readable) then r.source end,
               case when r.document_id = any (_readable) then r.version end,
               r.passages, r.vectors, r.entries
        from unnest(_removed) r;
end
$$;

comment on function rag_internal.delete_documents(rag_internal.identity, uuid[]) is
    'What was removed; source and version are null where the identity could not read them.';
alter function rag_internal.delete_documents(rag_internal.identity, uuid[]) owner to rag_owner;
revoke all on function rag_internal.delete_documents(rag_internal.identity, uuid[]) from public;
