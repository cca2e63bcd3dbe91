-- What a Markdown document says about itself in its first lines.
create or replace function rag_internal.front_matter(
    content  text,
    strategy text,
    source   text,
    mime     text
) returns jsonb
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
import json
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return json.dumps(GD["ragsql"].require(6).front_matter(content, strategy, source, mime))
$$;

comment on function rag_internal.front_matter(text, text, text, text) is
    'The YAML front matter of a document that is chunked as Markdown; {} for others, and where '
    'there is none or it is no mapping.';
alter function rag_internal.front_matter(text, text, text, text) owner to rag_owner;
revoke all on function rag_internal.front_matter(text, text, text, text) from public;
