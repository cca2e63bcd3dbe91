-- What a stored vector was made from, so that equal text is embedded once.
create or replace function rag_internal.embed_hash(revision text, content text) returns bytea
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select sha256(convert_to(format('%s|passage|%s', revision, content), 'UTF8'))
$$;

comment on function rag_internal.embed_hash(text, text) is
    'SHA-256 of model revision, kind and exact text: rag_internal.embedding.embed_hash.';
alter function rag_internal.embed_hash(text, text) owner to rag_owner;
revoke all on function rag_internal.embed_hash(text, text) from public;
