-- Tells that kept answers of a collection are out of date: the sum of its stamps is another one
-- from now on, for whoever sees this change. Now and then the stamps are added up into one row.
create or replace function rag_internal.note_content_change() returns trigger
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _collection_ids bigint[];
begin
    -- as a rule nobody keeps answers
    if not exists (select from rag_internal.collection k where k.search_defaults ? 'cache') then
        return null;
    end if;
    if tg_op = 'INSERT' then
        _collection_ids := array(select distinct n.collection_id from new_rows n);
    elsif tg_op = 'DELETE' then
        _collection_ids := array(select distinct o.collection_id from old_rows o);
    else
        _collection_ids := array(select n.collection_id from new_rows n
                                 union
                                 select o.collection_id from old_rows o);
    end if;
    insert into rag_internal.content_change (collection_id, stamp)
    select k.collection_id, rag_internal.new_id()
    from rag_internal.collection k
    where k.collection_id = any (_collection_ids) and k.search_defaults ? 'cache';
    if found and random() < 1.0 / 64
       and current_setting('transaction_isolation') = 'read committed' then
        with added as (
            delete from rag_internal.content_change a
            where a.ctid in (select f.ctid from rag_internal.content_change f
                             where f.collection_id = any (_collection_ids)
                             for update skip locked)
            returning a.collection_id, a.stamp)
        insert into rag_internal.content_change (collection_id, stamp)
        select a.collection_id, sum(a.stamp) from added a group by a.collection_id;
    end if;
    return null;
end
$$;

comment on function rag_internal.note_content_change() is
    'Adds a random stamp to rag_internal.content_change for each collection of the rows that keeps '
    'answers.';
alter function rag_internal.note_content_change() owner to rag_owner;
revoke all on function rag_internal.note_content_change() from public;
