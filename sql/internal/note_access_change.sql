-- Tells sessions that what they remember of who may read what is out of date: the sum of the stamps
-- is another one from now on, for whoever sees this change. Now and then the stamps are added up
-- into one row, which leaves the sum as it is.
create or replace function rag_internal.note_access_change() returns trigger
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    insert into rag_internal.access_change (stamp) values (rag_internal.new_id());
    if random() < 1.0 / 64 and current_setting('transaction_isolation') = 'read committed' then
        with added as (
            delete from rag_internal.access_change a
            where a.ctid in (select f.ctid from rag_internal.access_change f
                             for update skip locked)
            returning a.stamp)
        insert into rag_internal.access_change (stamp) select sum(a.stamp) from added a;
    end if;
    return null;
end
$$;

comment on function rag_internal.note_access_change() is
    'Adds a random stamp to rag_internal.access_change.';
alter function rag_internal.note_access_change() owner to rag_owner;
revoke all on function rag_internal.note_access_change() from public;
