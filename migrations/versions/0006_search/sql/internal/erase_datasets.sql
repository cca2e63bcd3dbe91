-- Takes texts out of the datasets that an identity owns: questions with their judgments, judged
-- sources, and settings of runs.
create or replace function rag_internal.erase_datasets(
    identity rag_internal.identity,
    removed  rag.removal[],
    pattern  text,
    kind     text,
    dry_run  boolean
) returns setof rag.removal
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _own bigint[] := array(
        select d.dataset_id from rag_internal.dataset d
        where (identity).sees_everything
           or (d.owner_id = any ((identity).principal_ids) and d.tenant = (identity).tenant));
    _described bigint[];
    _queries rag_internal.dataset_query[];
    _judgments bigint[];
    _runs bigint[];
    _entries bigint;
begin
    _described := array(
        select d.dataset_id from rag_internal.dataset d
        where d.dataset_id = any (_own)
          and rag_internal.matches_pattern(d.description, pattern, erase_datasets.kind));
    _queries := array(
        select q from rag_internal.dataset_query q
        where q.dataset_id = any (_own)
          and (rag_internal.matches_pattern(q.query, pattern, erase_datasets.kind)
               or rag_internal.matches_pattern(q.query_id, pattern, erase_datasets.kind)));
    _judgments := array(
        select j.judgment_id from rag_internal.judgment j
        where j.dataset_id = any (_own)
          and (rag_internal.matches_pattern(j.source, pattern, erase_datasets.kind)
               or exists (select from unnest(removed) r
                          where r.source = j.source
                            and coalesce(r.collection = j.collection, true))));
    _runs := array(
        select distinct e.run_id from rag_internal.evaluation e
        where e.dataset_id = any (_own)
          and rag_internal.matches_pattern(e.settings::text, pattern, erase_datasets.kind));
    _entries := cardinality(_described) + cardinality(_queries) + cardinality(_judgments)
                + cardinality(_runs);
    if _entries = 0 then
        return;
    end if;
    return next row('dataset', null, null, null, null, null, null, _entries)::rag.removal;
    if dry_run then
        return;
    end if;

    update rag_internal.dataset d set description = null where d.dataset_id = any (_described);
    -- what is judged otherwise is not compared
    update rag_internal.dataset d set fingerprint = sha256(d.fingerprint)
    where d.dataset_id in (select q.dataset_id from unnest(_queries) q)
       or d.dataset_id in (select j.dataset_id from rag_internal.judgment j
                           where j.judgment_id = any (_judgments));
    delete from rag_internal.dataset_query q
    using unnest(_queries) e
    where q.dataset_id = e.dataset_id and q.query_id = e.query_id;
    delete from rag_internal.judgment j where j.judgment_id = any (_judgments);
    update rag_internal.evaluation e set settings = '{}' where e.run_id = any (_runs);
end
$$;

comment on function rag_internal.erase_datasets(rag_internal.identity, rag.removal[], text, text,
    boolean) is
    'Removes questions that match and judgments of sources that match or were removed, blanks '
    'descriptions and settings that match. A row of kind dataset with their number, where there '
    'is one.';
alter function rag_internal.erase_datasets(rag_internal.identity, rag.removal[], text, text,
    boolean) owner to rag_owner;
revoke all on function rag_internal.erase_datasets(rag_internal.identity, rag.removal[], text, text,
    boolean) from public;
