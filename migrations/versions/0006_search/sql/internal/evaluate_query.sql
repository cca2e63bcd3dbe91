-- How well each stage of a search answers one question.
create or replace function rag_internal.evaluate_query(
    identity rag_internal.identity,
    question rag_internal.dataset_query,
    request  rag_internal.search_request,
    rules    rag_internal.redaction_rule[]
) returns setof rag_internal.stage_score
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _wanted integer[] := array(
        select j.relevance from rag_internal.judgment j
        where j.dataset_id = (question).dataset_id and j.query_id = (question).query_id);
    _hits rag_internal.stage_hit[];
begin
    request.query := (question).query;
    _hits := array(select h from rag_internal.search_stages(identity, request) h);
    return query
        with unit as (
            select h.stage, coalesce(j.judgment_id::text, d.document_id::text) as name,
                   max(coalesce(j.relevance, 0)) as relevance, min(h.place) as place
            from unnest(_hits) h
            join rag_internal.document d using (document_id)
            join rag_internal.chunk c using (document_id, chunk_index)
            join rag_internal.collection k using (collection_id)
            left join rag_internal.judgment j
                   on j.dataset_id = (question).dataset_id and j.query_id = (question).query_id
                  and j.source = rag_internal.shown_source(d, rules)
                  and coalesce(j.collection = k.name, true)
                  and (j.start_offset is null
                       or 2 * (least(j.end_offset, c.end_offset)
                               - greatest(j.start_offset, c.start_offset))
                          >= least(j.end_offset - j.start_offset, c.end_offset - c.start_offset))
            where d.acl_id in (
                select rag_internal.visible_acls(identity, array(
                    select e.acl_id
                    from unnest(_hits) s join rag_internal.document e using (document_id))))
            group by h.stage, 2
        ), placed as (
            select u.stage, u.name, u.relevance,
                   row_number() over (partition by u.stage
                                      order by u.place, u.relevance desc, u.name) as place
            from unit u
        ), united as (
            select 'recall' as stage, p.name, max(p.relevance) as relevance, min(p.place) as place
            from placed p
            where p.stage not in ('recall', 'fusion', 'rerank', 'result')
            group by p.name
        )
        select s.*
        from (select r.stage, array_agg(r.place) as places, array_agg(r.relevance) as relevances
              from (table placed union all table united) r (stage, name, relevance, place)
              group by r.stage) r,
             lateral rag_internal.ranking_scores(r.stage, r.places, r.relevances, _wanted) s;
end
$$;

comment on function rag_internal.evaluate_query(rag_internal.identity, rag_internal.dataset_query,
    rag_internal.search_request, rag_internal.redaction_rule[]) is
    'A row for each stage that found something. A document counts once, at its best passage; an '
    'excerpt at the first passage that shares half of the shorter of the two with it. recall of a '
    'hybrid: what is within the first places of any leg.';
alter function rag_internal.evaluate_query(rag_internal.identity, rag_internal.dataset_query,
    rag_internal.search_request, rag_internal.redaction_rule[]) owner to rag_owner;
revoke all on function rag_internal.evaluate_query(rag_internal.identity,
    rag_internal.dataset_query, rag_internal.search_request, rag_internal.redaction_rule[]) from
    public;
