-- Removes every version of a source.
create or replace function rag.delete_source(collection text, source text)
returns setof rag.removal
language sql volatile parallel unsafe
begin atomic
    select r.*
    from rag_internal.caller c,
         lateral rag_internal.delete_source(c.who, c.ticket, delete_source.collection,
                                            delete_source.source) r;
end;

comment on function rag.delete_source(text, text) is
    'Removes the documents of a source, all its versions that the caller can read, as '
    'rag.delete_document does; a row for each. P0002 where there is none.';
alter function rag.delete_source(text, text) owner to rag_owner;
revoke all on function rag.delete_source(text, text) from public;
grant execute on function rag.delete_source(text, text) to rag_writer;
