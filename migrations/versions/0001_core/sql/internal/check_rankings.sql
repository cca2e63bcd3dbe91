-- Refuses rankings that are none.
create or replace function rag_internal.check_rankings(rankings jsonb) returns jsonb
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if jsonb_typeof(rankings) is distinct from 'object'
       or jsonb_path_exists(rankings, 'strict $.* ? (@.type() != "array")') then
        raise exception using
            errcode = '22023',
            message = 'rankings is not a JSON object of arrays',
            hint    = 'For example: {"mine": ["a", "b"], "theirs": ["b"]}.';
    end if;
    return rankings;
end
$$;

comment on function rag_internal.check_rankings(jsonb) is
    'The rankings; 22023 unless they are an object of arrays.';
alter function rag_internal.check_rankings(jsonb) owner to rag_owner;
revoke all on function rag_internal.check_rankings(jsonb) from public;
grant execute on function rag_internal.check_rankings(jsonb) to rag_reader;
