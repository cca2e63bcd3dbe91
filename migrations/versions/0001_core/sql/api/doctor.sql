-- Looks the installation over.
create or replace function rag.doctor() returns setof rag.check_result
language sql stable parallel unsafe
begin atomic
    select d.* from rag_internal.caller c, lateral rag_internal.doctor(c.who, c.ticket) d;
end;

comment on function rag.doctor() is
    'A row per finding (ok, warn or fail) with the next step: server, extensions, engine, models, '
    'locale, and whether access rules apply to the caller. Paths of the server are shown to '
    'rag_admin alone.';
alter function rag.doctor() owner to rag_owner;
revoke all on function rag.doctor() from public;
grant execute on function rag.doctor() to rag_reader;
