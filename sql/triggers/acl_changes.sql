-- Any change of a sharing class is noted, whoever makes it.
create or replace trigger note_access_change
    after insert or update or delete or truncate on rag_internal.acl
    for each statement execute function rag_internal.note_access_change();
comment on trigger note_access_change on rag_internal.acl is 'Makes sessions look again.';
