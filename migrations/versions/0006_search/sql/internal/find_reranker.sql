-- A reranker by name; null or 'default' means the default one.
create or replace function rag_internal.find_reranker(name text) returns rag_internal.reranker
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _reranker rag_internal.reranker;
begin
    select r.* into _reranker
    from rag_internal.reranker r
    where r.name = find_reranker.name
       or (coalesce(find_reranker.name, 'default') = 'default' and r.is_default);
    if not found then
        raise exception using
            errcode = '55000',
            message = case when coalesce(find_reranker.name, 'default') = 'default'
                           then 'no default reranker is registered'
                           else format('no reranker is named "%s"', find_reranker.name) end,
            hint    = 'Registered ones are in rag.reranker; rag.add_reranker(...) registers one. '
                      'rerank => ''none'' searches without.';
    end if;
    return _reranker;
end
$$;

comment on function rag_internal.find_reranker(text) is
    'The reranker of that name, the default one for null and default; 55000 where there is none.';
alter function rag_internal.find_reranker(text) owner to rag_owner;
revoke all on function rag_internal.find_reranker(text) from public;
