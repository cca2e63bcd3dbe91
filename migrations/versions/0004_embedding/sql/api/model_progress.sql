-- Which models a collection keeps vectors of, and how far they are.
create or replace function rag.model_progress(collection text, model text default null)
returns setof rag.model_progress
language sql stable parallel unsafe
begin atomic
    select p.*
    from rag_internal.caller c,
         lateral rag_internal.show_model_progress(c.who, c.ticket, model_progress.collection,
                                                  model_progress.model) p;
end;

comment on function rag.model_progress(text, text) is
    'A row for each model that the collection keeps vectors of, the one it is searched by first; '
    'or for the model that is named, kept or not. waiting: passages without a vector that were '
    'not given up, queued or not. Owner or rag_admin only.';
alter function rag.model_progress(text, text) owner to rag_owner;
revoke all on function rag.model_progress(text, text) from public;
grant execute on function rag.model_progress(text, text) to rag_writer;
