-- The lexemes of a passage: its document's title weighs A.
create or replace function rag_internal.index_text(title text, content text, config text)
returns tsvector
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select setweight(rag.analyze(coalesce(title, ''), config), 'A') || rag.analyze(content, config)
$$;

comment on function rag_internal.index_text(text, text, text) is
    'rag_internal.chunk.tsv of a passage.';
alter function rag_internal.index_text(text, text, text) owner to rag_owner;
revoke all on function rag_internal.index_text(text, text, text) from public;
