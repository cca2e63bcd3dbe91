-- Takes out of the data files what was deleted or replaced.
create or replace procedure rag.scrub(timeout interval default '60 seconds')
language plpgsql
as $$
declare
    _step text;
    _last text;
    _deadline timestamptz;
begin
    loop
        if _step is distinct from 'older snapshots' then
            _deadline := clock_timestamp() + timeout;
        end if;
        _step := rag.scrub_step(_step, _deadline);
        commit;
        exit when _step is null;
        if _step is distinct from _last then
            raise notice 'scrubbed: %', _step;
        end if;
        _last := _step;
    end loop;
end
$$;

comment on procedure rag.scrub(interval) is
    'Rewrites the lexical index without what is dead in it, then every table with texts or '
    'vectors, and its indexes: searches wait while theirs is written. It commits after each, so '
    'call it outside a transaction. timeout: how long it waits for older transactions, which '
    'would keep what they can still see (55000). After the next checkpoint the files are gone.';
alter procedure rag.scrub(interval) owner to rag_owner;
revoke all on procedure rag.scrub(interval) from public;
grant execute on procedure rag.scrub(interval) to rag_admin;
