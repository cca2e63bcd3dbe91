-- The legs that a strategy runs.
create or replace function rag_internal.legs_of(strategy text) returns text[]
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if strategy = 'hybrid' then
        return array['semantic', 'bm25', 'fuzzy'];
    elsif strategy in ('semantic', 'bm25', 'fuzzy') then
        return array[strategy];
    end if;
    raise exception using
        errcode = '22023',
        message = format('unknown strategy "%s"', strategy),
        hint    = 'Strategies: hybrid, semantic, bm25, fuzzy.';
end
$$;

comment on function rag_internal.legs_of(text) is
    'hybrid: semantic, bm25 and fuzzy; else the one named. 22023 for any other.';
alter function rag_internal.legs_of(text) owner to rag_owner;
revoke all on function rag_internal.legs_of(text) from public;
