-- Refuses what cannot be said of a model, or not any more.
create or replace function rag_internal.check_model_change(
    before rag_internal.model,
    after  rag_internal.model
) returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _problem text := case
        when (after).dimensions <> (before).dimensions
            then format('model "%s" has %s dimensions, not %s',
                        (after).name, (before).dimensions, (after).dimensions)
        when (after).max_tokens is null and (after).provider = 'fastembed'
            then 'max_tokens is null, but a fastembed model needs its window'
        when (after).provider = 'openai' and (after).endpoints = '[]'
            then 'provider openai needs endpoints'
        when (after).provider <> 'openai' and (after).endpoints <> '[]'
            then format('provider %s has no endpoints', (after).provider)
        when (after).hnsw_ef_construction < 2 * (after).hnsw_m
            then format('ef_construction is %s, but must be twice m (%s) or more',
                        (after).hnsw_ef_construction, (after).hnsw_m) end;
    _made text[] := array(
        select n.key
        from jsonb_each(to_jsonb(before)) o
        join jsonb_each(to_jsonb(after)) n on n.key = o.key
        where n.key in ('provider', 'revision', 'passage_prefix', 'metric', 'storage')
          and n.value <> o.value
        order by n.key);
begin
    if cardinality(_made) > 0 and rag_internal.model_is_used((before).model_id) then
        raise exception using
            errcode = '55000',
            message = format('model "%s" is in use, and cannot change its %s',
                             (after).name, array_to_string(_made, ', ')),
            hint    = 'Vectors made in different ways cannot be compared: register the other model '
                      'under a name of its own.';
    elsif _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = case
                when _problem like 'provider openai%'
                    then 'options => ''{"endpoints": [{"url": "https://HOST/v1"}]}'''
                when (after).dimensions <> (before).dimensions
                    then 'Register the other model under a name of its own.'
                else 'rag.model shows what a registered model has.' end;
    end if;
end
$$;

comment on function rag_internal.check_model_change(rag_internal.model, rag_internal.model) is
    '22023 for a model that makes no sense or has other dimensions than before; 55000 for what '
    'its vectors were made by, while there are any.';
alter function rag_internal.check_model_change(rag_internal.model,
    rag_internal.model) owner to rag_owner;
revoke all on function rag_internal.check_model_change(rag_internal.model,
    rag_internal.model) from public;
