-- The jobs that the caller asked for, and how far they are.
create or replace view rag.job_status with (security_invoker = true) as
select r.*
from rag_internal.caller c, lateral rag_internal.readable_jobs(c.who, c.ticket) r;

comment on view rag.job_status is
    'Background work that the caller asked for: status is queued, running, done, failed (some '
    'passages were given up, see rag.dead_letter) or cancelled; of total passages, done have their '
    'vector or are gone, waiting are still to come. error: the last one, or why the model pauses.';
alter view rag.job_status owner to rag_owner;
grant select on rag.job_status to rag_reader;
