-- Gives the memory of the session's models back.
create or replace function rag.unload_model() returns integer
language sql volatile parallel unsafe
begin atomic
    select rag_internal.unload_model(c.who, c.ticket) from rag_internal.caller c;
end;

comment on function rag.unload_model() is
    'Drops the embedding models that this session has loaded, and frees its slot for another '
    'session; how many there were. The next use loads again.';
alter function rag.unload_model() owner to rag_owner;
revoke all on function rag.unload_model() from public;
grant execute on function rag.unload_model() to rag_reader;
