-- An entry that is replaced, or whose document is deleted, is dead wherever it lies by then: in
-- pending, in a segment, or in one that is just being made. So neither deleting nor merging has to
-- wait for the other.
create or replace function rag_internal.bury_entry() returns trigger
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    insert into rag_internal.tombstone (entry_id) values (old.entry_id) on conflict do nothing;
    -- what nobody is building yet need not be read by searches any more; an older snapshot than
    -- that of whoever built it would fail here
    if current_setting('transaction_isolation') = 'read committed' then
        delete from rag_internal.pending p
        where (p.entry_id, p.first_index) in (
            select f.entry_id, f.first_index from rag_internal.pending f
            where f.entry_id = old.entry_id
            for update skip locked);
    end if;
    return null;
end
$$;

comment on function rag_internal.bury_entry() is
    'Adds the tombstone of the entry that a row of indexed_document named before, and takes it '
    'out of rag_internal.pending where it can.';
alter function rag_internal.bury_entry() owner to rag_owner;
revoke all on function rag_internal.bury_entry() from public;
