-- The jobs that the caller asked for.
create or replace view rag.job with (security_invoker = true) as
select r.*
from rag_internal.caller c, lateral rag_internal.readable_jobs(c.who, c.ticket) r;

comment on view rag.job is
    'Background work that the caller asked for. A view over a function, not a table behind '
    'policies: a plan of the latter would tell of rows that the caller may not see.';
alter view rag.job owner to rag_owner;
revoke all on rag.job from public;
grant select on rag.job to rag_reader;
