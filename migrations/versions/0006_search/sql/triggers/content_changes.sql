-- Any change of documents or vectors ends the answers that are kept, whoever makes it.
create or replace trigger note_content_change_by_insert
    after insert on rag_internal.document
    referencing new table as new_rows
    for each statement execute function rag_internal.note_content_change();
comment on trigger note_content_change_by_insert on rag_internal.document is
    'Ends what was kept of answers.';

create or replace trigger note_content_change_by_update
    after update on rag_internal.document
    referencing old table as old_rows new table as new_rows
    for each statement execute function rag_internal.note_content_change();
comment on trigger note_content_change_by_update on rag_internal.document is
    'Ends what was kept of answers.';

create or replace trigger note_content_change_by_delete
    after delete on rag_internal.document
    referencing old table as old_rows
    for each statement execute function rag_internal.note_content_change();
comment on trigger note_content_change_by_delete on rag_internal.document is
    'Ends what was kept of answers.';

create or replace trigger note_content_change_by_insert
    after insert on rag_internal.embedding
    referencing new table as new_rows
    for each statement execute function rag_internal.note_content_change();
comment on trigger note_content_change_by_insert on rag_internal.embedding is
    'Ends what was kept of answers.';

create or replace trigger note_content_change_by_update
    after update on rag_internal.embedding
    referencing old table as old_rows new table as new_rows
    for each statement execute function rag_internal.note_content_change();
comment on trigger note_content_change_by_update on rag_internal.embedding is
    'Ends what was kept of answers.';

create or replace trigger note_content_change_by_delete
    after delete on rag_internal.embedding
    referencing old table as old_rows
    for each statement execute function rag_internal.note_content_change();
comment on trigger note_content_change_by_delete on rag_internal.embedding is
    'Ends what was kept of answers.';
