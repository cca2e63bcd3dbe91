-- The collections that the caller may know of.
create or replace view rag.collection with (security_invoker = true) as
select r.*
from rag_internal.caller c, lateral rag_internal.readable_collections(c.who, c.ticket) r;

comment on view rag.collection is
    'Collections that the caller may know of; rag.list_collections() counts what is in them. A '
    'view over a function, not a table behind policies: a plan of the latter would tell of rows '
    'that the caller may not see.';
alter view rag.collection owner to rag_owner;
revoke all on rag.collection from public;
grant select on rag.collection to rag_reader;
