-- The principals that the caller is.
create or replace view rag.principal with (security_invoker = true) as
select r.*
from rag_internal.caller c, lateral rag_internal.readable_principals(c.who, c.ticket) r;

comment on view rag.principal is
    'Who the caller is to ragsql: the roles it has usage of that were granted something, and '
    'public. A view over a function, not a table behind policies: a plan of the latter would '
    'tell of rows that the caller may not see.';
alter view rag.principal owner to rag_owner;
revoke all on rag.principal from public;
grant select on rag.principal to rag_reader;
