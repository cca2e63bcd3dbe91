-- What a run is compared with.
create or replace function rag_internal.last_evaluation(
    identity rag_internal.identity,
    dataset  rag_internal.dataset,
    strategy text,
    stage    text,
    top_k    integer
) returns jsonb
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select jsonb_build_object(
        'evaluated_at', e.evaluated_at, 'settings', e.settings, 'ndcg_10', e.ndcg_10,
        'mrr_10', e.mrr_10, 'recall_5', e.recall_5, 'recall_20', e.recall_20,
        'recall_50', e.recall_50)
    from rag_internal.evaluation e
    where e.dataset_id = (dataset).dataset_id and e.fingerprint = (dataset).fingerprint
      and e.reader is not distinct from (identity).reader and e.tenant = (identity).tenant
      and e.strategy = last_evaluation.strategy and e.stage = last_evaluation.stage
      and e.top_k = last_evaluation.top_k
    order by e.evaluated_at desc
    limit 1
$$;

comment on function rag_internal.last_evaluation(rag_internal.identity, rag_internal.dataset, text,
    text, integer) is
    'The newest kept run of the same identity by the same questions and judgments, whatever its '
    'settings.';
alter function rag_internal.last_evaluation(rag_internal.identity, rag_internal.dataset, text, text,
    integer) owner to rag_owner;
revoke all on function rag_internal.last_evaluation(rag_internal.identity, rag_internal.dataset,
    text, text, integer) from public;
