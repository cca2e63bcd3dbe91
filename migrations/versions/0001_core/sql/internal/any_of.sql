-- A tsquery that any of the lexemes satisfies, whatever characters they are made of.
create or replace function rag_internal.any_of(lexemes text[]) returns tsquery
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select string_agg('''' || replace(replace(l, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery
    from unnest(lexemes) l
$$;

comment on function rag_internal.any_of(text[]) is 'The lexemes joined by |; null for none.';
alter function rag_internal.any_of(text[]) owner to rag_owner;
revoke all on function rag_internal.any_of(text[]) from public;
