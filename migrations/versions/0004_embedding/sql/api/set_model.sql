-- Searches a collection by another model.
create or replace function rag.set_model(
    collection   text,
    model        text,
    allow_failed boolean default false
) returns rag.collection_info
language sql volatile parallel unsafe
begin atomic
    select rag_internal.set_model(c.who, c.ticket, set_model.collection, set_model.model,
                                  set_model.allow_failed)
    from rag_internal.caller c;
end;

comment on function rag.set_model(text, text, boolean) is
    'From this statement on the collection is searched by the model; the former one is kept in '
    'step, so that this can be taken back, until rag.release_model. 55000 while passages lack a '
    'vector under the new one (allow_failed: those that were given up do not count). none: no '
    'semantic search. Owner or rag_admin only.';
alter function rag.set_model(text, text, boolean) owner to rag_owner;
revoke all on function rag.set_model(text, text, boolean) from public;
grant execute on function rag.set_model(text, text, boolean) to rag_writer;
