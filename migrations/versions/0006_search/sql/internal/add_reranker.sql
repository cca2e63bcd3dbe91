-- Registers a reranker, or changes a registered one.
create or replace function rag_internal.add_reranker(
    who      name,
    ticket   bytea,
    name     text,
    provider text,
    options  jsonb
) returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
-- what waits for these locks keeps everybody waiting
set lock_timeout = '5s'
as $$
declare
    _options jsonb := coalesce(options, '{}');
    _problem text;
    _reranker rag_internal.reranker;
begin
    perform rag_internal.require_admin(rag_internal.authenticate(who, ticket),
                                       'register a reranker');
    perform rag_internal.require_visible_text('name', add_reranker.name);
    _problem := case
        when add_reranker.name in ('none', 'default', '.', '..')
            then format('a reranker cannot be named %s', add_reranker.name)
        when length(add_reranker.name) > 200
            then 'the name of a reranker has at most 200 characters'
        when add_reranker.provider not in ('fastembed', 'http')
            then format('unknown provider "%s": there are fastembed and http',
                        add_reranker.provider) end;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'rag.add_reranker(name, provider, options).';
    end if;
    perform rag_internal.check_reranker_options(_options);

    lock table rag_internal.reranker in share row exclusive mode;
    select r.* into _reranker from rag_internal.reranker r where r.name = add_reranker.name;
    if not found then
        insert into rag_internal.reranker (name, provider, scores, is_default)
        values (add_reranker.name, coalesce(add_reranker.provider, 'fastembed'),
                -- endpoints give relevances, the heads of cross-encoders logits
                case add_reranker.provider when 'http' then 'probability' else 'logit' end,
                not exists (select from rag_internal.reranker r where r.is_default))
        returning * into _reranker;
    end if;
    _reranker := jsonb_populate_record(_reranker, _options);
    _reranker.provider := coalesce(add_reranker.provider, _reranker.provider);
    perform rag_internal.check_reranker(_reranker);

    if _reranker.is_default then
        update rag_internal.reranker r
        set is_default = false
        where r.is_default and r.name <> _reranker.name;
    end if;
    update rag_internal.reranker r
    set (provider, revision, max_tokens, endpoints, scores, is_default)
      = (_reranker.provider, _reranker.revision, _reranker.max_tokens, _reranker.endpoints,
         _reranker.scores, _reranker.is_default)
    where r.name = _reranker.name;
    return _reranker.name;
end
$$;

comment on function rag_internal.add_reranker(name, bytea, text, text, jsonb) is
    'See rag.add_reranker.';
alter function rag_internal.add_reranker(name, bytea, text, text, jsonb) owner to rag_owner;
revoke all on function rag_internal.add_reranker(name, bytea, text, text, jsonb) from public;
grant execute on function rag_internal.add_reranker(name, bytea, text, text, jsonb) to rag_admin;
