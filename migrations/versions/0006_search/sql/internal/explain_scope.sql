-- What a search looks at: how much the caller sees, and how much of it passes the filters.
create or replace function rag_internal.explain_scope(scope rag_internal.scope)
returns setof rag.search_step
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
declare
    _started timestamptz := clock_timestamp();
    _sight record := rag_internal.sight(scope);
    _acls bigint[] := rag_internal.seen_acls(scope);
    _passing bigint;
    _step rag.search_step;
begin
    _step := rag_internal.search_step(
        'sight',
        case when ((scope).identity).sees_everything then 'everything' else 'by class' end,
        format('%s classes in %s collections', cardinality(_acls),
               cardinality(_sight.collection_ids)),
        _sight.passages, _started);
    return next _step;
    if (select count(distinct k.search_defaults) from rag_internal.collection k
        where k.collection_id = any (_sight.collection_ids)) > 1 then
        return next rag_internal.search_step(
            'defaults', 'built in', 'the search_defaults of the collections differ', null,
            clock_timestamp());
    end if;
    if coalesce((scope).filter::text, (scope).filter_path::text, (scope).min_updated_at::text,
                (scope).max_updated_at::text) is null then
        return;
    end if;
    _started := clock_timestamp();
    select count(*) into _passing
    from rag_internal.document d
    join rag_internal.chunk c using (document_id)
    -- in this order: a path can fail, or take long, on a row that is hidden
    where case when d.acl_id = any (_acls) and d.collection_id = any (_sight.collection_ids)
               then coalesce(d.attributes @> (scope).filter, true)
                    and coalesce(d.updated_at >= (scope).min_updated_at, true)
                    and coalesce(d.updated_at <= (scope).max_updated_at, true)
                    and ((scope).filter_path is null
                         or coalesce(jsonb_path_match(d.attributes, (scope).filter_path,
                                                      (scope).vars, true), false)) end
      and ((scope).include_archived or (scope).as_of is not null
           or exists (select from rag_internal.live_chunk l where l.chunk_id = c.chunk_id));
    return next rag_internal.search_step('filter', 'counted', null, _passing, _started);
end
$$;

comment on function rag_internal.explain_scope(rag_internal.scope) is
    'Rows of rag.search_step: sight, the passages that the caller sees in the scope, and where '
    'there are filters, filter, those of them that pass; defaults, where those of the collections '
    'differ, so that none counts.';
alter function rag_internal.explain_scope(rag_internal.scope) owner to rag_owner;
revoke all on function rag_internal.explain_scope(rag_internal.scope) from public;
