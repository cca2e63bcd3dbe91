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
as $$
declare
    _known text[] := array['revision', 'metric', 'query_prefix', 'passage_prefix', 'max_tokens',
                           'is_default'];
    _options jsonb := coalesce(options, '{}');
    _problem text;
    _model rag_internal.model;
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
        when coalesce(add_model.provider, 'fastembed') <> 'fastembed'
            then format('unknown provider "%s": there is fastembed', add_model.provider)
        when add_model.dimensions is null or add_model.dimensions not between 1 and 4000
            then format('dimensions is %s, but 1 to 4,000 can be indexed',
                        coalesce(add_model.dimensions::text, 'null'))
        when jsonb_typeof(_options) <> 'object' then 'options is not a JSON object'
        when jsonb_typeof(_options -> 'is_default') <> 'boolean' then 'is_default is not a boolean'
        when not jsonb_path_match(_options, '!exists($.max_tokens)
                 || ($.max_tokens.type() == "number"
                     && $.max_tokens >= 32 && $.max_tokens <= 1000000)')
            then 'max_tokens is not a number from 32 to 1,000,000'
        end;
    if _problem is null then
        select 'unknown option: ' || string_agg(k, ', ' order by k) into _problem
        from jsonb_object_keys(_options) k
        where k <> all (_known);
    end if;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = format('Options: %s.', array_to_string(_known, ', '));
    end if;

    lock table rag_internal.model in share row exclusive mode;
    select m.* into _model from rag_internal.model m where m.name = add_model.name;
    if not found then
        insert into rag_internal.model (name, provider, dimensions, max_tokens)
        values (add_model.name, coalesce(add_model.provider, 'fastembed'), add_model.dimensions,
                coalesce((_options ->> 'max_tokens')::integer, 256))
        returning * into _model;
        perform rag_internal.add_embedding_partition(
            _model, coalesce(_options ->> 'metric', 'cosine'));
    elsif _model.dimensions <> add_model.dimensions then
        raise exception using
            errcode = '22023',
            message = format('model "%s" has %s dimensions, not %s',
                             _model.name, _model.dimensions, add_model.dimensions),
            hint    = 'Register the other model under a name of its own.';
    elsif _options ->> 'metric' <> _model.metric
          or ((_options ->> 'revision' <> _model.revision
               or _options ->> 'passage_prefix' <> _model.passage_prefix)
              and exists (select from rag_internal.collection k
                          where k.model_id = _model.model_id)) then
        raise exception using
            errcode = '55000',
            message = format('model "%s" is registered as revision "%s" with metric %s and passage '
                             'prefix "%s", and in use',
                             _model.name, _model.revision, _model.metric, _model.passage_prefix),
            hint    = 'Vectors made in different ways cannot be compared: register the other model '
                      'under a name of its own.';
    end if;

    if coalesce((_options ->> 'is_default')::boolean, false) then
        update rag_internal.model m
        set is_default = false
        where m.is_default and m.kind = _model.kind;
    end if;
    update rag_internal.model m
    set metric         = coalesce(_options ->> 'metric', m.metric),
        revision       = coalesce(_options ->> 'revision', m.revision),
        query_prefix   = coalesce(_options ->> 'query_prefix', m.query_prefix),
        passage_prefix = coalesce(_options ->> 'passage_prefix', m.passage_prefix),
        max_tokens     = coalesce((_options ->> 'max_tokens')::integer, m.max_tokens),
        is_default     = coalesce((_options ->> 'is_default')::boolean, m.is_default)
    where m.model_id = _model.model_id;
    return _model.name;
end
$$;

comment on function rag_internal.add_model(name, bytea, text, text, integer, jsonb) is
    'See rag.add_model.';
alter function rag_internal.add_model(name, bytea, text, text, integer, jsonb) owner to rag_owner;
revoke all on function rag_internal.add_model(name, bytea, text, text, integer, jsonb) from public;
grant execute on function rag_internal.add_model(name, bytea, text, text, integer,
    jsonb) to rag_admin;
