-- Who the caller is to ragsql, and why.
create or replace function rag.whoami(token text default null) returns setof rag.identity
language sql stable parallel unsafe
begin atomic
    select i.*
    from rag_internal.caller c, lateral rag_internal.whoami(c.who, c.ticket, whoami.token) i;
end;

comment on function rag.whoami(text) is
    'The caller''s identity and where it comes from: a token, a trusted service''s settings or the '
    'database role; the principals it can be granted through, its tenant and clearance, and '
    'whether access rules apply to it at all. 28000 for a token that does not verify.';
alter function rag.whoami(text) owner to rag_owner;
revoke all on function rag.whoami(text) from public;
grant execute on function rag.whoami(text) to rag_reader;
