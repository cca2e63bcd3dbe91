-- Passages that could not be embedded.
create or replace view rag.dead_letter with (security_invoker = true) as
select r.*
from rag_internal.caller c, lateral rag_internal.readable_dead_letters(c.who, c.ticket) r;

comment on view rag.dead_letter is
    'Passages without a vector that were given up, of jobs that the caller asked for and in '
    'documents that it may read: the last error, and after how many attempts. '
    'rag.retry_job(job_id) tries them again; so does an ingest of another text.';
alter view rag.dead_letter owner to rag_owner;
grant select on rag.dead_letter to rag_reader;
