-- What each passage has to satisfy, whatever leg finds it: the quoted phrases, and none of the
-- exclusions.
create or replace function rag_internal.question_condition(
    phrases  text[],
    excluded text[],
    config   text
) returns tsquery
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _condition tsquery;
    _part tsquery;
    _phrase text;
begin
    foreach _phrase in array phrases loop
        _part := rag_internal.phrase_query(_phrase, config);
        _condition := coalesce(_condition && _part, _part, _condition);
    end loop;
    foreach _phrase in array excluded loop
        _part := !! rag_internal.phrase_query(_phrase, config);
        _condition := coalesce(_condition && _part, _part, _condition);
    end loop;
    return _condition;
end
$$;

comment on function rag_internal.question_condition(text[], text[], text) is
    'The tsquery that a passage of that configuration must match; null where nothing is asked for.';
alter function rag_internal.question_condition(text[], text[], text) owner to rag_owner;
revoke all on function rag_internal.question_condition(text[], text[], text) from public;
