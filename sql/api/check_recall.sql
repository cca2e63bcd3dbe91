-- Measures what the vector index leaves out.
create or replace function rag.check_recall(collection text, n integer default 100)
returns rag.recall_check
language sql stable parallel unsafe
begin atomic
    select rag_internal.check_recall(c.who, c.ticket, check_recall.collection, check_recall.n)
    from rag_internal.caller c;
end;

comment on function rag.check_recall(text, integer) is
    'Share of the 10 exactly nearest passages that the vector index finds too, a mean over n '
    'questions that lie near a random passage which the caller can see. recall is null '
    'where none has a neighbour. Writes nothing. More recall: ef_search, m or ef_construction of '
    'rag.add_model.';
alter function rag.check_recall(text, integer) owner to rag_owner;
revoke all on function rag.check_recall(text, integer) from public;
grant execute on function rag.check_recall(text, integer) to rag_reader;
