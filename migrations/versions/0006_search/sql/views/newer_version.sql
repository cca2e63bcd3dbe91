-- Which document is newer than another of the same source: the one statement of that order.
create or replace view rag_internal.newer_version with (security_invoker = true) as
select d.document_id, n.document_id as newer_id, n.acl_id, n.status, n.valid_from, n.valid_until
from rag_internal.document d
join rag_internal.document n using (collection_id, source)
where (coalesce(n.valid_from, '-infinity'), n.created_at, n.version)
      > (coalesce(d.valid_from, '-infinity'), d.created_at, d.version);

comment on view rag_internal.newer_version is
    'Each document with each newer version of its source: by valid_from (none: oldest), then by '
    'created_at, then by the text of version. Every use adds who asks, and when.';
alter view rag_internal.newer_version owner to rag_owner;
revoke all on rag_internal.newer_version from public;
