-- What is derived from a document's columns follows them, whoever writes it. Content that changes
-- while its hash stays was not ingested: its passages are of another text, which indexed_as says.
create or replace function rag_internal.derive_document() returns trigger
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    if new.content <> old.content and new.content_hash = old.content_hash then
        new.content_hash := sha256(convert_to(new.content, 'UTF8'));
        new.indexed_as := '{}';
    end if;
    new.attributes := rag_internal.attributes(new);
    return new;
end
$$;

comment on function rag_internal.derive_document() is
    'content_hash and attributes of a changed document; indexed_as {} asks '
    'rag_internal.resplit_document for new passages.';
alter function rag_internal.derive_document() owner to rag_owner;
revoke all on function rag_internal.derive_document() from public;
