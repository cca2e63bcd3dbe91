-- Keeps the lexical index small and quick: builds, merges and sweeps, each step in a transaction of
-- its own, so that nobody waits for long.
create or replace procedure rag.maintain()
language plpgsql
as $$
declare
    _more boolean;
begin
    loop
        _more := rag.maintain_step();
        commit;
        exit when not _more;
    end loop;
end
$$;

comment on procedure rag.maintain() is
    'Builds what is pending into segments of the lexical index and merges small ones. It commits '
    'after each step, so call it outside a transaction. Ingests do the most urgent of it '
    'themselves.';
alter procedure rag.maintain() owner to rag_owner;
revoke all on procedure rag.maintain() from public;
grant execute on procedure rag.maintain() to rag_writer;
