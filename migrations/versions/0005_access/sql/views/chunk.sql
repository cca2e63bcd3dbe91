-- The passages that the caller may read.
create or replace view rag.chunk with (security_invoker = true) as
select r.*
from rag_internal.caller c,
     lateral rag_internal.readable_chunks(c.who, c.ticket, null, null) r;

comment on view rag.chunk is
    'Passages that the caller may read; rag.get_chunks reads those of one document. content = '
    'substr(document.content, start_offset + 1, end_offset - start_offset). Where redaction '
    'rules hold for the caller, a passage is read by rag.get_chunks alone. A view over a function, '
    'not a table behind policies: a plan of the latter would tell of rows that the caller may not '
    'see.';
alter view rag.chunk owner to rag_owner;
revoke all on rag.chunk from public;
grant select on rag.chunk to rag_reader;
