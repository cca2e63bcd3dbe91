-- The keys that signed tokens are verified with, without the keys themselves.
create or replace function rag.list_identity_keys() returns setof rag.identity_key
language sql stable parallel unsafe
begin atomic
    select i.*
    from rag_internal.caller c, lateral rag_internal.list_identity_keys(c.who, c.ticket) i;
end;

comment on function rag.list_identity_keys() is
    'Which keys tokens are verified with, and what is checked with each (rag_admin only). The key '
    'itself is never shown.';
alter function rag.list_identity_keys() owner to rag_owner;
revoke all on function rag.list_identity_keys() from public;
grant execute on function rag.list_identity_keys() to rag_admin;
