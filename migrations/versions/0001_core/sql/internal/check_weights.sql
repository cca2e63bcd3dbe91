-- Completes weights from their defaults and refuses those that mean nothing.
create or replace function rag_internal.check_weights(weights jsonb, defaults jsonb, rrf_k integer)
returns jsonb
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _weights jsonb := defaults || coalesce(weights, '{}');
    _hint text := format('Weights are numbers of 0 or more for %s, one of them above 0.',
                         (select string_agg(k, ', ' order by k)
                          from jsonb_object_keys(defaults) k));
begin
    if rrf_k is null or rrf_k < 0 then
        raise exception using
            errcode = '22023',
            message = format('rrf_k is %s', coalesce(rrf_k::text, 'null')),
            hint    = 'rrf_k is 0 or more; 60 is customary.';
    elsif jsonb_typeof(_weights) <> 'object' then
        raise exception using
            errcode = '22023',
            message = 'weights is not a JSON object',
            hint    = _hint;
    elsif exists (select from jsonb_object_keys(_weights) k where not defaults ? k) then
        raise exception using
            errcode = '22023',
            message = format('weights names an unknown ranking: %s',
                             (select left(k, 100) from jsonb_object_keys(_weights) k
                              where not defaults ? k limit 1)),
            hint    = _hint;
    end if;
    if exists (select from jsonb_each(_weights) w
               where case when jsonb_typeof(w.value) = 'number'
                          then not (w.value::numeric = 0
                                    or w.value::numeric between 1e-300 and 1e300)
                          else true end)
       or not exists (select from jsonb_each(_weights) w where w.value::numeric > 0) then
        raise exception using
            errcode = '22023',
            message = 'weights must be numbers of 0 or more, and one of them above 0',
            hint    = _hint;
    end if;
    return _weights;
end
$$;

comment on function rag_internal.check_weights(jsonb, jsonb, integer) is
    'weights over defaults; 22023 for an unknown ranking, for a negative, all zero or non-numeric '
    'weight, and for a negative rrf_k.';
alter function rag_internal.check_weights(jsonb, jsonb, integer) owner to rag_owner;
revoke all on function rag_internal.check_weights(jsonb, jsonb, integer) from public;
grant execute on function rag_internal.check_weights(jsonb, jsonb, integer) to rag_reader;
