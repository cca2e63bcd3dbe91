-- The rules of a collection.
create or replace function rag.list_redaction_rules(collection text)
returns setof rag.redaction_rule
language sql volatile parallel unsafe
begin atomic
    select r.*
    from rag_internal.caller c,
         lateral rag_internal.list_redaction_rules(c.who, c.ticket,
                                                   list_redaction_rules.collection) r;
end;

comment on function rag.list_redaction_rules(text) is
    'The redaction rules of a collection by name, for its owner and rag_admin.';
alter function rag.list_redaction_rules(text) owner to rag_owner;
revoke all on function rag.list_redaction_rules(text) from public;
grant execute on function rag.list_redaction_rules(text) to rag_writer;
