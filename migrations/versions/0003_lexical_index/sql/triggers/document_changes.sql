-- Another class, collection, configuration, status or validity is another entry, whoever writes it.
create or replace trigger follow_document
    after update of acl_id, collection_id, text_config, status, valid_from, valid_until
    on rag_internal.document
    for each row
    when (old.acl_id is distinct from new.acl_id
          or old.collection_id is distinct from new.collection_id
          or old.text_config is distinct from new.text_config
          or old.status is distinct from new.status
          or old.valid_from is distinct from new.valid_from
          or old.valid_until is distinct from new.valid_until)
    execute function rag_internal.follow_document();
comment on trigger follow_document on rag_internal.document is 'Keeps the lexical index in step.';
