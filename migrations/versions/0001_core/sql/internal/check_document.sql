-- Refuses a document that could not be stored, or that would break somebody's search.
create or replace function rag_internal.check_document(document rag_internal.document) returns void
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _problem text := case
        when jsonb_typeof((document).metadata) <> 'object' then 'metadata is not a JSON object'
        -- a filter path goes down recursively, on the stack of whoever searches
        when jsonb_path_exists((document).metadata, '$.**{65}')
            then 'metadata is nested deeper than 64 levels'
        when octet_length((document).source) + octet_length((document).version) > 2000
            then 'source and version have more than 2,000 bytes together'
        when length((document).title) > 2000 then 'title has more than 2,000 characters'
        when array_ndims((document).tags) > 1 or array_position((document).tags, null) is not null
            then 'tags is not a plain list of strings'
        when (document).status not in ('active', 'archived')
            then format('status is "%s", but a document is active or archived', (document).status)
        when (document).valid_from >= (document).valid_until
            then 'valid_from is not before valid_until' end;
begin
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'Nothing was stored; correct it and send the document again.';
    end if;
end
$$;

comment on function rag_internal.check_document(rag_internal.document) is
    '22023 for what a document may not be: metadata no object or too deep, keys or title too long, '
    'tags that are no list, an unknown status, a validity that ends before it begins.';
alter function rag_internal.check_document(rag_internal.document) owner to rag_owner;
revoke all on function rag_internal.check_document(rag_internal.document) from public;
