-- What filters see of a document: its metadata, and over it what the system knows.
create or replace function rag_internal.attributes(document rag_internal.document) returns jsonb
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select (document).metadata
           - array['source', 'title', 'tags', 'version', 'status', 'valid_from', 'valid_until',
                   'created_at', 'updated_at']
           || jsonb_strip_nulls(jsonb_build_object(
                  'source', (document).source,
                  'title', (document).title,
                  'tags', (document).tags,
                  'version', (document).version,
                  'status', (document).status,
                  'valid_from', rag_internal.iso_time((document).valid_from),
                  'valid_until', rag_internal.iso_time((document).valid_until),
                  'created_at', rag_internal.iso_time((document).created_at),
                  'updated_at', rag_internal.iso_time((document).updated_at)))
$$;

comment on function rag_internal.attributes(rag_internal.document) is
    'Metadata without, and then with, source, title, tags, version, status and dates (UTC, ISO '
    '8601): what the system does not know of a document, metadata cannot claim.';
alter function rag_internal.attributes(rag_internal.document) owner to rag_owner;
revoke all on function rag_internal.attributes(rag_internal.document) from public;
