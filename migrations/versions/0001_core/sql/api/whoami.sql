-- Who the caller is to ragsql, and why.
create or replace function rag.whoami() returns setof rag.identity
language sql stable parallel restricted
begin atomic
    select i.* from rag_internal.caller c, lateral rag_internal.whoami(c.who, c.ticket) i;
end;

comment on function rag.whoami() is
    'The caller''s identity: the database role, the principals it can be granted through, and '
    'whether access rules apply to it at all.';
alter function rag.whoami() owner to rag_owner;
revoke all on function rag.whoami() from public;
grant execute on function rag.whoami() to rag_reader;
