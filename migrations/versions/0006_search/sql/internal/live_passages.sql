-- The passages that a search may consider, as the text of a relation. What most searches ask is a
-- view; a moment, a range of updated_at, and sources that have versions want more.
create or replace function rag_internal.live_passages(
    scope       rag_internal.scope,
    acls        text,
    newest_only boolean
) returns text
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
set datestyle = iso  -- moments are written into the text
as $$
declare
    _moment text := case when (scope).as_of is null then 'statement_timestamp()'
                         else format('%L::timestamptz', (scope).as_of) end;
    _is_valid text := format(
        '(%%1$s.valid_from is null or %%1$s.valid_from <= %1$s) '
        'and (%%1$s.valid_until is null or %%1$s.valid_until > %1$s)', _moment);
    _has_archived boolean := coalesce((scope).include_archived, false);
    -- as a rule nothing has another version
    _is_newest boolean := newest_only and not _has_archived and (
        select min(d.collection_id) from rag_internal.document d where d.version <> '') is not null;
    _conditions text[] := array[
        case when (scope).min_updated_at is not null
             then format('d.updated_at >= %L::timestamptz', (scope).min_updated_at) end,
        case when (scope).max_updated_at is not null
             then format('d.updated_at <= %L::timestamptz', (scope).max_updated_at) end,
        case when not _has_archived
             then format('d.status = ''active'' and %s', format(_is_valid, 'd'))
             when (scope).as_of is not null
             then format('(d.valid_from is null or d.valid_from <= %s)', _moment) end,
        case when _is_newest
             -- one by one, of few passages
             then format('not exists (select from rag_internal.newer_version n '
                         'where n.document_id = d.document_id and n.status = ''active'' '
                         'and %s%s offset 0)',
                         format(_is_valid, 'n'),
                         -- without an estimate, which takes long for many classes
                         ' and coalesce(n.acl_id = any (' || acls || '), false)') end];
begin
    if coalesce((scope).min_updated_at, (scope).max_updated_at, (scope).as_of) is null
       and not _has_archived and not _is_newest then
        return 'rag_internal.live_chunk';
    end if;
    return format(
        '(select c.chunk_id, c.document_id, c.chunk_index, c.tsv, d.collection_id, d.acl_id, '
        'd.attributes, d.text_config '
        'from rag_internal.chunk c join rag_internal.document d using (document_id) where %s)',
        coalesce(nullif(array_to_string(_conditions, ' and '), ''), 'true'));
end
$$;

comment on function rag_internal.live_passages(rag_internal.scope, text, boolean) is
    'rag_internal.live_chunk, or a subquery of its columns, for what the scope says of freshness. '
    'acls: an expression for the classes among which newer versions count; null: all.';
alter function rag_internal.live_passages(rag_internal.scope, text, boolean) owner to rag_owner;
revoke all on function rag_internal.live_passages(rag_internal.scope, text, boolean) from public;
