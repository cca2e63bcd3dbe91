-- Hides from a reader again what redaction rules hide.
create or replace function rag.revoke_unredacted(collection text, reader text) returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.change_unredacted(c.who, c.ticket, revoke_unredacted.collection,
                                          revoke_unredacted.reader, false)
    from rag_internal.caller c;
end;

comment on function rag.revoke_unredacted(text, text) is
    'Ends what rag.grant_unredacted has begun; whether that changed something. For the owner of '
    'the collection and rag_admin.';
alter function rag.revoke_unredacted(text, text) owner to rag_owner;
revoke all on function rag.revoke_unredacted(text, text) from public;
grant execute on function rag.revoke_unredacted(text, text) to rag_writer;
