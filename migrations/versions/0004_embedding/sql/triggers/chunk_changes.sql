-- Lexemes and vectors of a passage are made from these.
create or replace trigger follow_chunk
    after update of content, embed_text, heading on rag_internal.chunk
    for each row
    when (old.content is distinct from new.content
          or old.embed_text is distinct from new.embed_text
          or old.heading is distinct from new.heading)
    execute function rag_internal.follow_chunk();
comment on trigger follow_chunk on rag_internal.chunk is
    'Keeps lexemes and vectors in step with passages that plain SQL changes.';
