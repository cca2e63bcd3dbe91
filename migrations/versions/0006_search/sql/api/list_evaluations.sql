-- What evaluations found.
create or replace function rag.list_evaluations(dataset text default null)
returns setof rag.evaluation_run
language sql stable parallel unsafe
begin atomic
    select r.*
    from rag_internal.caller c,
         lateral rag_internal.list_evaluations(c.who, c.ticket, list_evaluations.dataset) r;
end;

comment on function rag.list_evaluations(text) is
    'What the caller''s evaluations by a dataset (null: by any) found, for rag_admin everybody''s: '
    'a row for each run, strategy and stage, the oldest first.';
alter function rag.list_evaluations(text) owner to rag_owner;
revoke all on function rag.list_evaluations(text) from public;
grant execute on function rag.list_evaluations(text) to rag_reader;
