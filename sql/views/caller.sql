-- Who is asking. A view reads with its owner's rights, but current_user in it is the true invoker,
-- inside other people's functions, triggers and index expressions too. session_user is not: an
-- index expression run by autovacuum would search as the superuser.
create or replace view rag_internal.caller as
select current_user as who,
       rag_internal.ticket(k.secret, current_user) as ticket
from rag_internal.ticket_key k;

comment on view rag_internal.caller is
    'The true current user and the ticket that proves it. Reachable only from functions whose '
    'names were resolved when they were created: nobody has usage on this schema.';
alter view rag_internal.caller owner to rag_owner;
revoke all on rag_internal.caller from public;
grant select on rag_internal.caller to rag_reader;
