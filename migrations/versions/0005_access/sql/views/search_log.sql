-- Who searched for what, and what was shown.
create or replace view rag.search_log with (security_invoker = true) as
select r.*
from rag_internal.caller c, lateral rag_internal.readable_search_log(c.who, c.ticket) r;

comment on view rag.search_log is
    'A row for each search, for rag_admin: identity and source as in rag.whoami; collections that '
    'were named (null: none); the query or its keyed hash; the passages that were returned, in '
    'order; the steps with their route and milliseconds. A search in a transaction that can only '
    'read leaves a line in the server''s log alone.';
alter view rag.search_log owner to rag_owner;
revoke all on rag.search_log from public;
grant select on rag.search_log to rag_admin;
