-- Ends keeping a collection's vectors under a further model.
create or replace function rag.release_model(collection text, model text) returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.release_model(c.who, c.ticket, release_model.collection,
                                      release_model.model)
    from rag_internal.caller c;
end;

comment on function rag.release_model(text, text) is
    'Removes the collection''s vectors under a model that it is not searched by (that is 55000), '
    'and makes no more of them; false where it kept none. Owner or rag_admin only.';
alter function rag.release_model(text, text) owner to rag_owner;
revoke all on function rag.release_model(text, text) from public;
grant execute on function rag.release_model(text, text) to rag_writer;
