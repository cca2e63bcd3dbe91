-- Removes a model that nothing uses.
create or replace function rag.drop_model(name text) returns void
language sql volatile parallel unsafe
begin atomic
    select rag_internal.drop_model(c.who, c.ticket, drop_model.name)
    from rag_internal.caller c;
end;

comment on function rag.drop_model(text) is
    'Removes a registered model (rag_admin only) with its index; P0002 where there is none, 55000 '
    'while a collection uses it or keeps its vectors.';
alter function rag.drop_model(text) owner to rag_owner;
revoke all on function rag.drop_model(text) from public;
grant execute on function rag.drop_model(text) to rag_admin;
