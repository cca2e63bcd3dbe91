-- Keeps questions with judged answers, to evaluate searches by.
create or replace function rag.add_dataset(
    name        text,
    queries     jsonb,
    judgments   jsonb,
    collections text[] default null,
    description text   default null
) returns rag.dataset_info
language sql volatile parallel unsafe
begin atomic
    select rag_internal.add_dataset(c.who, c.ticket, add_dataset.name, add_dataset.queries,
                                    add_dataset.judgments, add_dataset.collections,
                                    add_dataset.description)
    from rag_internal.caller c;
end;

comment on function rag.add_dataset(text, jsonb, jsonb, text[], text) is
    'Keeps a dataset for rag.evaluate, instead of the caller''s former one of the name. queries: '
    '[{"query_id": "1", "query": "..."}]. judgments: [{"query_id": "1", "source": "a.md", '
    '"relevance": 2}], 0 being no answer; with start_offset and end_offset it is an excerpt of the '
    'document that answers, with collection only the document there. collections: where the '
    'questions are asked (null: all). Only its owner and rag_admin can see it.';
alter function rag.add_dataset(text, jsonb, jsonb, text[], text) owner to rag_owner;
revoke all on function rag.add_dataset(text, jsonb, jsonb, text[], text) from public;
grant execute on function rag.add_dataset(text, jsonb, jsonb, text[], text) to rag_writer;
