-- Registers a model and makes its partition and its vector index.
create or replace function rag_internal.add_model(
    who        name,
    ticket     bytea,
    name       text,
    provider   text,
    dimensions integer,
    options    jsonb
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
    _before rag_internal.model;
    _after rag_internal.model;
    _is_new boolean;
begin
    if not (rag_internal.authenticate(who, ticket)).sees_everything then
        raise exception using
            errcode = '42501',
            message = 'only rag_admin may register a model',
            hint    = 'Ask an administrator.';
    end if;
    perform rag_internal.require_visible_text('name', add_model.name);
    _problem := case
        when add_model.name = 'none' then 'a model cannot be named none, which means no model'
        when add_model.provider not in ('fastembed', 'openai', 'external')
            then format('unknown provider "%s": there are fastembed, openai and external',
                        add_model.provider)
        when add_model.dimensions is null or add_model.dimensions not between 1 and 16000
            then format('dimensions is %s, but must be 1 to 16,000',
                        coalesce(add_model.dimensions::text, 'null')) end;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'rag.add_model(name, provider, dimensions, options).';
    end if;
    perform rag_internal.check_model_options(_options);

    lock table rag_internal.model in share row exclusive mode;
    select m.* into _before from rag_internal.model m where m.name = add_model.name;
    _is_new := not found;
    if _is_new then
        insert into rag_internal.model (name, provider, dimensions, max_tokens)
        values (add_model.name, coalesce(add_model.provider, 'fastembed'), add_model.dimensions,
                case coalesce(add_model.provider, 'fastembed') when 'fastembed' then 256
                                                               when 'openai' then 8192 end)
        returning * into _before;
    end if;
    _after := rag_internal.with_model_options(_before, _options);
    _after.provider := coalesce(add_model.provider, _before.provider);
    _after.dimensions := add_model.dimensions;
    perform rag_internal.check_model_change(_before, _after);
    perform rag_internal.check_model(_after);

    if _after.is_default then
        update rag_internal.model m
        set is_default = false
        where m.is_default and m.kind = _after.kind and m.model_id <> _after.model_id;
    end if;
    update rag_internal.model m
    set (provider, revision, metric, query_prefix, passage_prefix, max_tokens, is_default,
         endpoints, storage, quantization, hnsw_m, hnsw_ef_construction, hnsw_ef_search,
         long_input)
      = (_after.provider, _after.revision, _after.metric, _after.query_prefix,
         _after.passage_prefix, _after.max_tokens, _after.is_default, _after.endpoints,
         _after.storage, _after.quantization, _after.hnsw_m, _after.hnsw_ef_construction,
         _after.hnsw_ef_search, _after.long_input)
    where m.model_id = _after.model_id;
    if _is_new then
        perform rag_internal.add_embedding_partition(_after);
    elsif (_after.metric, _after.storage, _after.quantization, _after.hnsw_m,
           _after.hnsw_ef_construction)
       <> (_before.metric, _before.storage, _before.quantization, _before.hnsw_m,
           _before.hnsw_ef_construction) then
        perform rag_internal.build_vector_index(_after);
    end if;
    return _after.name;
end
$$;

comment on function rag_internal.add_model(name, bytea, text, text, integer, jsonb) is
    'See rag.add_model.';
alter function rag_internal.add_model(name, bytea, text, text, integer, jsonb) owner to rag_owner;
revoke all on function rag_internal.add_model(name, bytea, text, text, integer, jsonb) from public;
grant execute on function rag_internal.add_model(name, bytea, text, text, integer,
    jsonb) to rag_admin;
