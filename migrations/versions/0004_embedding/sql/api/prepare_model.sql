-- Fills the vectors of a further model in the background.
create or replace function rag.prepare_model(collection text, model text default null)
returns bigint
language sql volatile parallel unsafe
begin atomic
    select rag_internal.prepare_model(c.who, c.ticket, prepare_model.collection,
                                      prepare_model.model)
    from rag_internal.caller c;
end;

comment on function rag.prepare_model(text, text) is
    'From now on the collection keeps vectors under this model, too; searches go on with its own '
    'until rag.set_model. The job that makes what is missing, null where nothing is. model null: '
    'what is missing under the models it has. Owner or rag_admin only.';
alter function rag.prepare_model(text, text) owner to rag_owner;
revoke all on function rag.prepare_model(text, text) from public;
grant execute on function rag.prepare_model(text, text) to rag_writer;
