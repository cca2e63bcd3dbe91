-- Lets a reader see what redaction rules hide.
create or replace function rag.grant_unredacted(collection text, reader text) returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.change_unredacted(c.who, c.ticket, grant_unredacted.collection,
                                          grant_unredacted.reader, true)
    from rag_internal.caller c;
end;

comment on function rag.grant_unredacted(text, text) is
    'Lets a reader, named as in rag.grant_read, see a collection without redaction, as far as it '
    'may read there; whether that changed something. For the owner of the collection and '
    'rag_admin.';
alter function rag.grant_unredacted(text, text) owner to rag_owner;
revoke all on function rag.grant_unredacted(text, text) from public;
grant execute on function rag.grant_unredacted(text, text) to rag_writer;
