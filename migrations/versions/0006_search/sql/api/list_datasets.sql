-- What searches can be judged by.
create or replace function rag.list_datasets() returns setof rag.dataset_info
language sql stable parallel unsafe
begin atomic
    select r.* from rag_internal.caller c, lateral rag_internal.list_datasets(c.who, c.ticket) r;
end;

comment on function rag.list_datasets() is
    'The caller''s datasets (all for rag_admin): collections that are searched (null: all), how '
    'many queries and judgments there are.';
alter function rag.list_datasets() owner to rag_owner;
revoke all on function rag.list_datasets() from public;
grant execute on function rag.list_datasets() to rag_reader;
