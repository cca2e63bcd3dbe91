-- Erases whole documents by what they say.
create or replace function rag.erase_content(
    pattern     text,
    kind        text default 'like',
    collections text[] default null,
    dry_run     boolean default false
) returns setof rag.removal
language sql volatile parallel unsafe
begin atomic
    select r.*
    from rag_internal.caller c,
         lateral rag_internal.erase_content(
             c.who, c.ticket, erase_content.pattern, erase_content.kind,
             erase_content.collections, erase_content.dry_run) r;
end;

comment on function rag.erase_content(text, text, text[], boolean) is
    'Erases whole documents that match: content, title, source, version, tags, metadata. kind is '
    'like or regex; collections null: all that the caller owns. Of these, documents that it can '
    'read. dry_run lists them. Once it is committed no SQL reaches them: passages, vectors, '
    'postings, words that nothing else has, and what logs and errors say of them are gone, too. '
    'Out of the data files they go with rag.scrub(). 22023 for a pattern that means everything.';
alter function rag.erase_content(text, text, text[], boolean) owner to rag_owner;
revoke all on function rag.erase_content(text, text, text[], boolean) from public;
grant execute on function rag.erase_content(text, text, text[], boolean) to rag_writer;
