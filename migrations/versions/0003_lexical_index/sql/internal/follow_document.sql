-- The lexical index repeats a document's class, collection and validity, so it follows them.
create or replace function rag_internal.follow_document() returns trigger
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    perform rag_internal.index_document(new.document_id);
    return null;
end
$$;

comment on function rag_internal.follow_document() is
    'Makes a new entry for a document that changed otherwise than by its text.';
alter function rag_internal.follow_document() owner to rag_owner;
revoke all on function rag_internal.follow_document() from public;
