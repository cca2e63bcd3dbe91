-- Erases documents by what they say, out of everything that SQL can reach. Locks are taken in the
-- order that ingests and grants take them: collections, documents, the lexical index.
create or replace function rag_internal.erase_content(
    who         name,
    ticket      bytea,
    pattern     text,
    kind        text,
    collections text[],
    dry_run     boolean
) returns setof rag.removal
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _collection_ids bigint[];
    _ids uuid[];
    _job_ids bigint[];
    _removed rag.removal[];
    _counts bigint[];
begin
    perform rag_internal.check_erasure_pattern(pattern, erase_content.kind);
    if not coalesce(dry_run, false) then
        perform rag_internal.require_read_committed('rag.erase_content');
    end if;
    _collection_ids := rag_internal.erasable_collections(_identity, erase_content.collections);
    _ids := array(select rag_internal.matching_documents(
                      _identity, _collection_ids, pattern, erase_content.kind));
    if coalesce(dry_run, false) then
        _removed := array(select r from rag_internal.removals(_ids) r);
        return query select r.* from unnest(_removed) r;
        return query select r.* from rag_internal.erase_logs(
            _identity, _ids, _removed, pattern, erase_content.kind, true) r;
        return query select r.* from rag_internal.erase_datasets(
            _identity, _removed, pattern, erase_content.kind, true) r;
        return;
    end if;

    perform from rag_internal.collection k
    where k.collection_id in (select d.collection_id from rag_internal.document d
                              where d.document_id = any (_ids))
    order by k.collection_id
    for no key update;
    perform from rag_internal.document d
    where d.document_id = any (_ids)
    order by d.document_id
    for update;
    -- once more: whoever held a lock until now may have changed them
    _ids := array(select rag_internal.matching_documents(
                      _identity,
                      rag_internal.erasable_collections(_identity, erase_content.collections),
                      pattern, erase_content.kind, _ids));
    _job_ids := array(
        select distinct t.job_id
        from rag_internal.embedding_task t join rag_internal.chunk c using (chunk_id)
        where c.document_id = any (_ids) and t.error is not null);
    _removed := array(select r from rag_internal.delete_documents(_identity, _ids) r);
    _counts := array[
        rag_internal.erase_errors(_identity, _job_ids, pattern, erase_content.kind),
        case when _ids <> '{}' then rag_internal.erase_entries(_ids) end,
        case when _ids <> '{}' then rag_internal.prune_words() end];
    return query select r.* from unnest(_removed) r;
    return query select r.* from rag_internal.erase_logs(
        _identity, _ids, _removed, pattern, erase_content.kind, false) r;
    return query select r.* from rag_internal.erase_datasets(
        _identity, _removed, pattern, erase_content.kind, false) r;
    return query
        select n.kind, null::uuid, null::text, null::text, null::text, null::bigint, null::bigint,
               n.entries
        from unnest(array['error', 'posting', 'word'], _counts) n (kind, entries)
        where n.entries > 0
          -- whether a word goes tells whether anybody else has it
          and (n.kind = 'error' or _identity.sees_everything);
end
$$;

comment on function rag_internal.erase_content(name, bytea, text, text, text[], boolean) is
    'See rag.erase_content.';
alter function rag_internal.erase_content(name, bytea, text, text, text[],
    boolean) owner to rag_owner;
revoke all on function rag_internal.erase_content(name, bytea, text, text, text[],
    boolean) from public;
grant execute on function rag_internal.erase_content(name, bytea, text, text, text[],
    boolean) to rag_writer;
