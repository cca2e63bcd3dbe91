-- What filters see of a document: its metadata, and over it what the system knows.
create or replace function rag_internal.attributes(document rag.document) returns jsonb
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select (document).metadata || jsonb_strip_nulls(jsonb_build_object(
        'source', (document).source,
        'title', (document).title,
        'tags', (document).tags,
        'version', (document).version,
        'status', (document).status,
        'valid_from', to_char((document).valid_from at time zone 'UTC',
                              'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        'valid_until', to_char((document).valid_until at time zone 'UTC',
                               'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        'created_at', to_char((document).created_at at time zone 'UTC',
                              'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        'updated_at', to_char((document).updated_at at time zone 'UTC',
                              'YYYY-MM-DD"T"HH24:MI:SS"Z"')))
$$;

comment on function rag_internal.attributes(rag.document) is
    'rag.document.attributes: metadata under source, title, tags, version, status and dates (UTC, '
    'ISO 8601).';
alter function rag_internal.attributes(rag.document) owner to rag_owner;
revoke all on function rag_internal.attributes(rag.document) from public;
