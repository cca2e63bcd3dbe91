-- What kind of text a document is, in the engine.
create or replace function rag_internal.document_type(content text, source text, mime text)
returns text
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).document_type(content, source, mime)
$$;

comment on function rag_internal.document_type(text, text, text) is
    'code, prose, markdown or structured.';
alter function rag_internal.document_type(text, text, text) owner to rag_owner;
revoke all on function rag_internal.document_type(text, text, text) from public;
