-- How well searches answer.
create or replace function rag.evaluate(
    dataset     text,
    strategies  text[]  default null,
    settings    jsonb   default '{}',
    collections text[]  default null,
    top_k       integer default 50,
    save        boolean default true,
    token       text    default null
) returns setof rag.evaluation
language sql volatile parallel unsafe
begin atomic
    select e.*
    from rag_internal.caller c,
         lateral rag_internal.evaluate(
             c.who, c.ticket, evaluate.token, evaluate.dataset, evaluate.strategies,
             evaluate.settings, evaluate.collections, evaluate.top_k, evaluate.save) e;
end;

comment on function rag.evaluate(text, text[], jsonb, text[], integer, boolean, text) is
    'Asks the queries of a dataset (rag.add_dataset) as rag.search with top_k would, and measures '
    'each stage of each strategy (null: all four): for a hybrid semantic, bm25, fuzzy, recall '
    '(their union), fusion; rerank where there is one; result, what a search returns. Means over '
    'the queries with an answer: nDCG@10 with gain 2^relevance - 1, MRR@10, recall@5, 20 and 50, a '
    'document standing at its best passage. settings: other arguments of rag.search. collections: '
    'instead of the dataset''s. save: keep it, for rag.list_evaluations and the next run''s last. '
    'Searches are the caller''s own, see what it sees, and are not in rag.search_log.';
alter function rag.evaluate(text, text[], jsonb, text[], integer, boolean, text) owner to rag_owner;
revoke all on function rag.evaluate(text, text[], jsonb, text[], integer, boolean, text) from
    public;
grant execute on function rag.evaluate(text, text[], jsonb, text[], integer, boolean, text) to
    rag_reader;
