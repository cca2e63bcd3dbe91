-- The strategy that a name stands for: other engines call the same things otherwise.
create or replace function rag_internal.strategy_named(name text) returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if name in ('hybrid', 'combined', 'rrf') then
        return 'hybrid';
    elsif name in ('semantic', 'dense', 'vector') then
        return 'semantic';
    elsif name in ('bm25', 'lexical', 'sparse') then
        return 'bm25';
    elsif name in ('fuzzy', 'approximate') then
        return 'fuzzy';
    end if;
    raise exception using
        errcode = '22023',
        message = format('unknown strategy "%s"', left(name, 100)),
        hint    = 'Strategies: hybrid (also combined, rrf), semantic (dense, vector), bm25 '
                  '(lexical, sparse), fuzzy (approximate).';
end
$$;

comment on function rag_internal.strategy_named(text) is
    'hybrid, semantic, bm25 or fuzzy; 22023 for any other name.';
alter function rag_internal.strategy_named(text) owner to rag_owner;
revoke all on function rag_internal.strategy_named(text) from public;
