-- The words of a text as they are written: what a typing error is compared with.
create or replace function rag_internal.surface_forms(content text) returns tsvector
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select strip(to_tsvector('pg_catalog.simple', rag_internal.fold_text(content)))
$$;

comment on function rag_internal.surface_forms(text) is
    'Distinct folded words, unstemmed, stop words among them.';
alter function rag_internal.surface_forms(text) owner to rag_owner;
revoke all on function rag_internal.surface_forms(text) from public;
