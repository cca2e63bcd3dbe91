-- The rules of collections, each with its regular expression.
create or replace function rag_internal.redaction_rules(collection_ids bigint[])
returns rag_internal.redaction_rule[]
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select coalesce(array_agg(row(r.collection_id, r.name, r.detector,
                                  coalesce(r.pattern, rag_internal.detector_pattern(r.detector)),
                                  r.replacement, r.created_at)::rag_internal.redaction_rule
                              order by r.name, r.collection_id), '{}')
    from rag_internal.redaction_rule r
    where collection_ids is null or r.collection_id = any (collection_ids)
$$;

comment on function rag_internal.redaction_rules(bigint[]) is
    'The rules of these collections (null: of all), in the order of their names; pattern is never '
    'null.';
alter function rag_internal.redaction_rules(bigint[]) owner to rag_owner;
revoke all on function rag_internal.redaction_rules(bigint[]) from public;
