-- Asks all questions of a dataset, and measures what is found. It shows no passages, so it leaves
-- no rows in the log of searches; the run itself is kept.
create or replace function rag_internal.evaluate(
    who         name,
    ticket      bytea,
    token       text,
    dataset     text,
    strategies  text[],
    settings    jsonb,
    collections text[],
    top_k       integer,
    save        boolean
) returns setof rag.evaluation
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket, token);
    _dataset rag_internal.dataset := rag_internal.own_dataset(_identity, evaluate.dataset);
    _settings jsonb := coalesce(evaluate.settings, '{}');
    _collections text[] := coalesce(evaluate.collections, _dataset.collections);
    _rules rag_internal.redaction_rule[] := rag_internal.redaction_rules(
        rag_internal.redacted_collections(_identity));
    _has_excerpts boolean := exists (
        select from rag_internal.judgment j
        where j.dataset_id = _dataset.dataset_id and j.start_offset is not null);
    _strategy text;
    _request rag_internal.search_request;
    _stages text[];
    _found rag.evaluation[] := '{}';
    _run_id bigint := rag_internal.new_id();
begin
    foreach _strategy in array coalesce(strategies, '{hybrid, semantic, bm25, fuzzy}') loop
        _strategy := rag_internal.strategy_named(_strategy);
        continue when exists (select from unnest(_found) f where f.strategy = _strategy);
        _request := rag_internal.evaluation_request(_identity, _strategy, _settings, _collections,
                                                    evaluate.top_k, _has_excerpts);
        _stages := rag_internal.evaluation_stages(rag_internal.completed_request(
            _request, rag_internal.search_scope(_identity, _request)));
        _found := _found || array(
            with question as (
                select q
                from rag_internal.dataset_query q
                where q.dataset_id = _dataset.dataset_id
                  and exists (select from rag_internal.judgment j
                              where j.dataset_id = q.dataset_id and j.query_id = q.query_id
                                and j.relevance > 0)
            ), score as materialized (
                select s.*
                from question q,
                     lateral rag_internal.evaluate_query(_identity, q.q, _request, _rules) s
            )
            select row(_strategy, t.stage, n.queries, count(s.stage),
                       case when t.stage <> 'recall' or _strategy <> 'hybrid'
                            then coalesce(sum(s.ndcg_10), 0) / n.queries end,
                       case when t.stage <> 'recall' or _strategy <> 'hybrid'
                            then coalesce(sum(s.mrr_10), 0) / n.queries end,
                       coalesce(sum(s.recall_5), 0) / n.queries,
                       coalesce(sum(s.recall_20), 0) / n.queries,
                       coalesce(sum(s.recall_50), 0) / n.queries,
                       rag_internal.last_evaluation(_identity, _dataset, _strategy, t.stage,
                                                    evaluate.top_k))::rag.evaluation
            from (select count(*) as queries from question) n,
                 unnest(_stages) with ordinality t (stage, number)
            left join score s on s.stage = t.stage
            where n.queries > 0
            group by t.stage, t.number, n.queries
            order by t.number);
    end loop;
    if _found = '{}' then
        raise exception using
            errcode = '22023',
            message = format('dataset "%s" has no query with an answer', _dataset.name),
            hint    = 'Judgments with a relevance above 0 are answers.';
    end if;

    if save and current_setting('transaction_read_only') = 'off' then
        insert into rag_internal.evaluation (
            run_id, strategy, stage, stage_number, dataset_id, evaluated_at, reader, tenant,
            collections, settings, top_k, fingerprint, queries, answered, ndcg_10, mrr_10,
            recall_5, recall_20, recall_50)
        select _run_id, f.strategy, f.stage, f.number, _dataset.dataset_id, clock_timestamp(),
               _identity.reader, _identity.tenant, _collections, _settings, evaluate.top_k,
               _dataset.fingerprint, f.queries, f.answered, f.ndcg_10, f.mrr_10, f.recall_5,
               f.recall_20, f.recall_50
        from (select u.*, row_number() over () as number from unnest(_found) u) f;
    end if;
    return query select f.* from unnest(_found) f;
end
$$;

comment on function rag_internal.evaluate(name, bytea, text, text, text[], jsonb, text[], integer,
    boolean) is 'See rag.evaluate.';
alter function rag_internal.evaluate(name, bytea, text, text, text[], jsonb, text[], integer,
    boolean) owner to rag_owner;
revoke all on function rag_internal.evaluate(name, bytea, text, text, text[], jsonb, text[],
    integer, boolean) from public;
grant execute on function rag_internal.evaluate(name, bytea, text, text, text[], jsonb, text[],
    integer, boolean) to rag_reader;
