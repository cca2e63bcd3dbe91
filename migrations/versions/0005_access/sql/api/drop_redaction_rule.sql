-- Ends a rule of a collection.
create or replace function rag.drop_redaction_rule(collection text, name text) returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.drop_redaction_rule(c.who, c.ticket, drop_redaction_rule.collection,
                                            drop_redaction_rule.name)
    from rag_internal.caller c;
end;

comment on function rag.drop_redaction_rule(text, text) is
    'Ends a rule of rag.add_redaction_rule; whether there was one. For the owner of the collection '
    'and rag_admin.';
alter function rag.drop_redaction_rule(text, text) owner to rag_owner;
revoke all on function rag.drop_redaction_rule(text, text) from public;
grant execute on function rag.drop_redaction_rule(text, text) to rag_writer;
