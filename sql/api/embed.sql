-- Embeds texts with a registered model, inside the database.
create or replace function rag.embed(
    texts text[],
    model text   default null,
    kind  text   default 'passage'
) returns @extschema:vector@.vector[]
language sql stable parallel unsafe
begin atomic
    select rag_internal.embed(c.who, c.ticket, embed.texts, embed.model, embed.kind)
    from rag_internal.caller c;
end;

comment on function rag.embed(text[], text, text) is
    'One unit vector per text, in order. model null: the default. kind: query or passage (models '
    'prefix them differently). A text beyond the window is the average of its windows, or 54000 '
    'where long_input of the model is error. A blank text is 22023, a text that the provider '
    'refuses 22000, a provider that cannot be used 55000.';
alter function rag.embed(text[], text, text) owner to rag_owner;
revoke all on function rag.embed(text[], text, text) from public;
grant execute on function rag.embed(text[], text, text) to rag_reader;
