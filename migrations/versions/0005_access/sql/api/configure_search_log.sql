-- Says what is recorded of searches, and for how long.
create or replace function rag.configure_search_log(
    mode text    default null,
    days integer default null
) returns void
language sql volatile parallel unsafe
begin atomic
    select rag_internal.configure_search_log(c.who, c.ticket, configure_search_log.mode,
                                             configure_search_log.days)
    from rag_internal.caller c;
end;

comment on function rag.configure_search_log(text, integer) is
    'rag_admin only; null keeps what is configured. mode: hash (the query as a keyed hash: the '
    'default), text (the query itself, redacted) or off. days: how long rag.maintain keeps '
    'records, 90 by default.';
alter function rag.configure_search_log(text, integer) owner to rag_owner;
revoke all on function rag.configure_search_log(text, integer) from public;
grant execute on function rag.configure_search_log(text, integer) to rag_admin;
