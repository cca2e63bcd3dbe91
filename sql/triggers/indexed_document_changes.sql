-- Whatever replaces or deletes an entry, a cascade too, leaves its tombstone.
create or replace trigger bury_entry
    after update or delete on rag_internal.indexed_document
    for each row execute function rag_internal.bury_entry();
comment on trigger bury_entry on rag_internal.indexed_document is 'Leaves a tombstone.';
