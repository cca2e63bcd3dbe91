-- How often a passage has each of its lexemes, as rag_internal.pending holds it.
create or replace function rag_internal.pack_frequencies(tsv tsvector) returns bytea
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select coalesce(string_agg(set_byte('\x00', 0, least(cardinality(t.positions), 255)), ''), '')
    from unnest(tsv) t
$$;

comment on function rag_internal.pack_frequencies(tsvector) is
    'A byte for each lexeme, in the order of tsvector_to_array, 255 at most.';
alter function rag_internal.pack_frequencies(tsvector) owner to rag_owner;
revoke all on function rag_internal.pack_frequencies(tsvector) from public;
