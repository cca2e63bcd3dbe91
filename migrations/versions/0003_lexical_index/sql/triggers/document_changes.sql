-- Another class, collection, configuration, status or validity is another entry, whoever writes it.
create or replace trigger follow_document
    after update of acl_id, collection_id, text_config, status, valid_from, valid_until
    on rag_internal.document
    for each row
    when ((old.acl_id, old.collection_id, old.text_config, old.status, old.valid_from,
           old.valid_until)
          is distinct from (new.acl_id, new.collection_id, new.text_config, new.status,
                            new.valid_from, new.valid_until))
    execute function rag_internal.follow_document();
comment on trigger follow_document on rag_internal.document is 'Keeps the lexical index in step.';
