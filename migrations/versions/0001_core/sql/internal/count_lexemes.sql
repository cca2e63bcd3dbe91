-- The length of a passage as BM25 counts it.
create or replace function rag_internal.count_lexemes(tsv tsvector) returns integer
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select coalesce(sum(cardinality(t.positions)), 0)::integer from unnest(tsv) t
$$;

comment on function rag_internal.count_lexemes(tsvector) is
    'Occurrences of all lexemes; a tsvector keeps at most 255 of one lexeme.';
alter function rag_internal.count_lexemes(tsvector) owner to rag_owner;
revoke all on function rag_internal.count_lexemes(tsvector) from public;
