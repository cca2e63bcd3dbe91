-- Takes texts out of the logs. Rows stay, without the text: what happened, and when, is no part of
-- it. The log of searches is an administrator's, so that nobody else can clear or probe it.
create or replace function rag_internal.erase_logs(
    identity     rag_internal.identity,
    document_ids uuid[],
    removed      rag.removal[],
    pattern      text,
    kind         text,
    dry_run      boolean
) returns setof rag.removal
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _erased constant text := '(erased)';
    _log_ids bigint[];
    _search_ids bigint[];
    _searches bigint := 0;
begin
    _log_ids := array(
        select l.log_id
        from rag_internal.ingest_log l
        where (l.source <> _erased or l.detail is not null)
          and (l.document_id = any (document_ids)
               or (rag_internal.owns_work(l.user_name, l.role_oid, l.reader, l.tenant, identity)
                   and (rag_internal.matches_pattern(l.source, pattern, erase_logs.kind)
                        or rag_internal.matches_pattern(l.detail, pattern, erase_logs.kind)
                        or (l.collection, l.source) in (select r.collection, r.source
                                                        from unnest(removed) r)))));
    if (identity).sees_everything then
        _search_ids := array(
            select s.log_id from rag_internal.search_log s
            where rag_internal.matches_pattern(s.query, pattern, erase_logs.kind));
    end if;
    if not dry_run then
        update rag_internal.ingest_log l set source = _erased, detail = null
        where l.log_id = any (_log_ids);
        update rag_internal.search_log s set query = null, query_hash = null
        where s.log_id = any (_search_ids);
    end if;
    return query
        select c.kind, null::uuid, null::text, null::text, null::text, null::bigint, null::bigint,
               c.entries
        from (values ('ingest_log', cardinality(_log_ids)::bigint),
                     ('search_log', cardinality(_search_ids)::bigint)) c (kind, entries)
        where c.entries > 0;
end
$$;

comment on function rag_internal.erase_logs(rag_internal.identity, uuid[], rag.removal[], text,
    text, boolean) is
    'Blanks source and detail of loads of these documents and sources, and of those that the '
    'identity ran and that match; for who sees everything, questions that match, too. A row for '
    'each kind of which there was one.';
alter function rag_internal.erase_logs(rag_internal.identity, uuid[], rag.removal[], text, text,
    boolean) owner to rag_owner;
revoke all on function rag_internal.erase_logs(rag_internal.identity, uuid[], rag.removal[], text,
    text, boolean) from public;
