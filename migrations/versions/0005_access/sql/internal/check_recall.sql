-- Measures what the vector index leaves out: questions are asked once through the index as a
-- search would, once exactly. A question is a passage's vector drawn a third of the way to
-- another's: real ones lie off the passages too, and are found about as well; a passage's own
-- vector is found far more easily.
create or replace function rag_internal.check_recall(
    who        name,
    ticket     bytea,
    collection text,
    n          integer
) returns rag.recall_check
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
set plan_cache_mode = force_custom_plan
as $$
declare
    _at constant integer := 10;
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _scope rag_internal.scope := rag_internal.lexical_scope(_identity, array[collection]);
    _model rag_internal.model;
    _question record;
    _nearest double precision[];
    _found double precision[];
    _shares double precision[] := '{}';
    _result rag.recall_check;
begin
    if n is null or n not between 1 and 10000 then
        raise exception using
            errcode = '22023',
            message = format('n is %s, but must be 1 to 10,000', coalesce(n::text, 'null')),
            hint    = 'Each of n passages is searched for twice, once exactly.';
    end if;
    _scope.acl_ids := array(select rag_internal.visible_acls(_identity));
    select m.* into _model
    from rag_internal.collection k join rag_internal.model m using (model_id)
    where k.collection_id = any (_scope.collection_ids);
    if not found then
        raise exception using
            errcode = '55000',
            message = format('collection "%s" has no embedding model', collection),
            hint    = 'There is nothing to measure.';
    end if;
    for _question in
        with passage as (
            select row(c.document_id, c.chunk_index) as id,
                   coalesce(e.full_v, e.v::@extschema:vector@.vector) as v
            from rag_internal.embedding e join rag_internal.live_chunk c using (chunk_id)
            where e.model_id = _model.model_id and e.acl_id = any (_scope.acl_ids)
              and e.collection_id = any (_scope.collection_ids)
            order by random()
            limit 2 * n
        ), numbered as (
            select p.*, row_number() over () as number from passage p
        )
        select s.ids,
               @extschema:vector@.l2_normalize(
                   s.vs[1] operator(@extschema:vector@.+) s.vs[1]
                   operator(@extschema:vector@.+) coalesce(s.vs[2], s.vs[1])) as v
        from (select array_agg(p.id) as ids, array_agg(p.v) as vs
              from numbered p
              group by (p.number - 1) / 2) s
        limit n
    loop
        select array_agg(h.score order by h.route, h.rank) filter (where h.route = 'exact'),
               coalesce(array_agg(h.score) filter (where h.route = 'auto'), '{}')
        into _nearest, _found
        from (select r.route, h.rank, h.score,
                     row_number() over (partition by r.route order by h.rank) as place
              from unnest('{exact, auto}'::text[]) r (route),
                   lateral rag_internal.semantic_leg(_question.v, _model, _scope, '{}',
                                                     rag_internal.leg_depth(_at + 2), r.route) l,
                   unnest(l.hits) h
              -- both are found by any index
              where row(h.document_id, h.chunk_index) <> all (_question.ids)) h
        where h.place <= _at;
        _result.queries := coalesce(_result.queries, 0) + 1;
        if _nearest is not null then
            -- by score, so that equal passages stand for each other
            _shares := _shares || (
                select count(*)::double precision / cardinality(_nearest)
                from unnest(_found) f (score)
                where f.score >= _nearest[cardinality(_nearest)]);
        end if;
    end loop;
    _result.queries := coalesce(_result.queries, 0);
    _result.recall := (select avg(s) from unnest(_shares) s);
    _result.at := _at;
    return _result;
end
$$;

comment on function rag_internal.check_recall(name, bytea, text, integer) is
    'See rag.check_recall.';
alter function rag_internal.check_recall(name, bytea, text, integer) owner to rag_owner;
revoke all on function rag_internal.check_recall(name, bytea, text, integer) from public;
grant execute on function rag_internal.check_recall(name, bytea, text, integer) to rag_reader;
