-- The documents that the caller may read.
create or replace view rag.document with (security_invoker = true) as
select r.*
from rag_internal.caller c,
     lateral rag_internal.readable_documents(c.who, c.ticket, null, null) r;

comment on view rag.document is
    'Documents that the caller may read, character for character as ingested; rag.get_document '
    'reads one. content_hash is the SHA-256 of content in UTF-8; attributes are what filters '
    'see. Where redaction rules hold for the caller, a document is read by rag.get_document '
    'alone. A view over a function, not a table behind policies: a plan of the latter would tell '
    'of rows that the caller may not see.';
alter view rag.document owner to rag_owner;
revoke all on rag.document from public;
grant select on rag.document to rag_reader;
