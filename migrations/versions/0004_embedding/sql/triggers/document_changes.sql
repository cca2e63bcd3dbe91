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

-- attributes and content_hash are derived from these.
create or replace trigger derive_document
    before update of source, version, title, content, status, valid_from, valid_until, tags,
                     metadata
    on rag_internal.document
    for each row
    execute function rag_internal.derive_document();
comment on trigger derive_document on rag_internal.document is 'Keeps derived columns in step.';

create or replace trigger follow_title
    after update of title on rag_internal.document
    for each row
    when (old.title is distinct from new.title
          -- else its passages are being written anew
          and old.content_hash = new.content_hash and old.indexed_as = new.indexed_as)
    execute function rag_internal.follow_title();
comment on trigger follow_title on rag_internal.document is
    'Keeps the lexical index in step with titles.';

create or replace trigger resplit_document
    after update of content on rag_internal.document
    for each row
    when (old.content <> new.content and new.indexed_as = '{}'::jsonb)
    execute function rag_internal.resplit_document();
comment on trigger resplit_document on rag_internal.document is
    'Keeps passages in step with texts that plain SQL changes.';
