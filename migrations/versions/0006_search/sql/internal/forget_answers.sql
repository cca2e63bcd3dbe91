-- Removes answers whose time is over, but for those that another session is removing.
create or replace function rag_internal.forget_answers(most bigint) returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    -- above that, what another session has removed meanwhile would be an error
    if current_setting('transaction_isolation') = 'read committed' then
        delete from rag_internal.cached_answer a
        where a.answer_id in (select e.answer_id from rag_internal.cached_answer e
                              where e.expires_at <= clock_timestamp()
                              limit most
                              for update skip locked);
    end if;
end
$$;

comment on function rag_internal.forget_answers(bigint) is
    'At most so many (null: all); none in a transaction above read committed.';
alter function rag_internal.forget_answers(bigint) owner to rag_owner;
revoke all on function rag_internal.forget_answers(bigint) from public;
