-- What to ask next, in the engine.
create or replace function rag_internal.follow_up_terms(query text, texts text[], most integer)
returns text[]
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return GD["ragsql"].require(6).follow_up_terms(query, texts, most)
$$;

comment on function rag_internal.follow_up_terms(text, text[], integer) is
    'Identifiers, types and files that the texts name and the query does not, the best first.';
alter function rag_internal.follow_up_terms(text, text[], integer) owner to rag_owner;
revoke all on function rag_internal.follow_up_terms(text, text[], integer) from public;
