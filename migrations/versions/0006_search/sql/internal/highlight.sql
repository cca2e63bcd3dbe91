-- Where a query matches a text, in the engine: by the analyzer's own lexemes, not by the spelling.
create or replace function rag_internal.highlight(content text, query text, text_config text)
returns rag_internal.highlighted
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).highlight(content, query, text_config)
$$;

comment on function rag_internal.highlight(text, text, text) is
    'Words of the query, its phrases and words with its prefixes; nothing for exclusions. The '
    'first 50,000 characters are looked through.';
alter function rag_internal.highlight(text, text, text) owner to rag_owner;
revoke all on function rag_internal.highlight(text, text, text) from public;
