-- Lets a role inherit what an earlier role of its name was granted and owns.
create or replace function rag.adopt_role(role text) returns integer
language sql volatile parallel unsafe
begin atomic
    select rag_internal.adopt_role(c.who, c.ticket, adopt_role.role) from rag_internal.caller c;
end;

comment on function rag.adopt_role(text) is
    'Gives grants and collections of earlier roles of this name to the role that has the name '
    'today (rag_admin only): after a restore into another cluster. How many earlier roles there '
    'were.';
alter function rag.adopt_role(text) owner to rag_owner;
revoke all on function rag.adopt_role(text) from public;
grant execute on function rag.adopt_role(text) to rag_admin;
