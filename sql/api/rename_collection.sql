-- Gives a collection another name.
create or replace function rag.rename_collection(name text, new_name text) returns void
language sql volatile parallel unsafe
begin atomic
    select rag_internal.rename_collection(c.who, c.ticket, rename_collection.name,
                                          rename_collection.new_name)
    from rag_internal.caller c;
end;

comment on function rag.rename_collection(text, text) is
    'Renames a collection; its documents and readers stay. 42710 where the new name is taken.';
alter function rag.rename_collection(text, text) owner to rag_owner;
revoke all on function rag.rename_collection(text, text) from public;
grant execute on function rag.rename_collection(text, text) to rag_writer;
