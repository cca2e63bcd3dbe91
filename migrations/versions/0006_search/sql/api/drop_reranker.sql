-- Removes a reranker.
create or replace function rag.drop_reranker(name text) returns void
language sql volatile parallel unsafe
begin atomic
    select rag_internal.drop_reranker(c.who, c.ticket, drop_reranker.name)
    from rag_internal.caller c;
end;

comment on function rag.drop_reranker(text) is
    'Removes a registered reranker (rag_admin only); P0002 where there is none. Searches that name '
    'it fail from then on, or go without it where they allow that.';
alter function rag.drop_reranker(text) owner to rag_owner;
revoke all on function rag.drop_reranker(text) from public;
grant execute on function rag.drop_reranker(text) to rag_admin;
