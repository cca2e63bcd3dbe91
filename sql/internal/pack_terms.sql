-- The terms of a passage as rag_internal.pending holds them.
create or replace function rag_internal.pack_terms(terms text[]) returns bytea
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select convert_to(case when cardinality(terms) = 0 then ''
                           else array_to_string(terms, E'\x01') || E'\x01' end || E'\x02', 'UTF8')
$$;

comment on function rag_internal.pack_terms(text[]) is
    'UTF-8; byte 1 after each term, byte 2 at the end.';
alter function rag_internal.pack_terms(text[]) owner to rag_owner;
revoke all on function rag_internal.pack_terms(text[]) from public;
