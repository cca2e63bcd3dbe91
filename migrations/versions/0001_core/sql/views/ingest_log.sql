-- What happened to each file of the caller's loads.
create or replace view rag.ingest_log with (security_invoker = true) as
select r.*
from rag_internal.caller c, lateral rag_internal.readable_ingest_log(c.who, c.ticket) r;

comment on view rag.ingest_log is
    'What happened to each file of the loads that the caller ran; rag.log_ingest writes a row. '
    'A view over a function, not a table behind policies: a plan of the latter would tell of '
    'rows that the caller may not see.';
alter view rag.ingest_log owner to rag_owner;
revoke all on rag.ingest_log from public;
grant select on rag.ingest_log to rag_reader;
