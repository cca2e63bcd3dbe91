-- Refuses questions and judgments that nothing could be measured by.
create or replace function rag_internal.check_dataset(queries jsonb, judgments jsonb) returns void
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _kind text;
    _rows jsonb;
    _known text[];
    _row jsonb;
    _number bigint;
    _problem text;
begin
    foreach _kind in array array['queries', 'judgments'] loop
        _rows := case _kind when 'queries' then queries else judgments end;
        _known := case _kind
            when 'queries' then array['query_id', 'query']
            else array['query_id', 'source', 'relevance', 'collection', 'start_offset',
                       'end_offset'] end;
        if jsonb_typeof(_rows) is distinct from 'array' then
            _problem := format('%s is not a JSON array of objects', _kind);
        end if;
        for _row, _number in
            select e, n
            from jsonb_array_elements(case when _problem is null then _rows else '[]' end)
                 with ordinality t (e, n)
        loop
            _problem := case
                when jsonb_typeof(_row) <> 'object' then 'is not a JSON object'
                when exists (select from jsonb_object_keys(_row) k where k <> all (_known))
                    then 'has unknown keys: ' || left((select string_agg(k, ', ' order by k)
                                                       from jsonb_object_keys(_row) k
                                                       where k <> all (_known)), 200)
                when coalesce(_row ->> 'query_id', '') = '' or length(_row ->> 'query_id') > 200
                    then 'has no query_id of at most 200 characters'
                when _kind = 'queries' and jsonb_typeof(_row -> 'query') is distinct from 'string'
                    then 'has no query'
                when _kind = 'queries' then null
                when coalesce(jsonb_typeof(_row -> 'source'), '') <> 'string'
                     or jsonb_typeof(_row -> 'collection') not in ('string', 'null')
                    then 'has no source, or a collection that is no name'
                when coalesce(_row ->> 'relevance', '') !~ '^([12]?\d|30)$'
                    then 'has no relevance from 0 to 30'
                when coalesce(_row ->> 'start_offset', '0') !~ '^\d{1,9}$'
                     or coalesce(_row ->> 'end_offset', '1') !~ '^\d{1,9}$'
                     or (_row ->> 'start_offset' is null) <> (_row ->> 'end_offset' is null)
                     or (_row ->> 'start_offset')::integer >= (_row ->> 'end_offset')::integer
                    then 'has an excerpt that is none' end;
            if _problem is not null then
                _problem := format('element %s of %s %s', _number, _kind, _problem);
                exit;
            end if;
            if _kind = 'queries' then
                perform rag_internal.check_query(_row ->> 'query');
            end if;
        end loop;
        if _problem is not null then
            raise exception using
                errcode = '22023',
                message = _problem,
                hint    = format('Keys of %s: %s.', _kind, array_to_string(_known, ', '));
        end if;
    end loop;
    select q.query_id into _problem
    from jsonb_to_recordset(queries) q (query_id text)
    group by q.query_id having count(*) > 1
    limit 1;
    if found then
        raise exception using
            errcode = '22023',
            message = format('query_id %s is given twice', _problem);
    end if;
    select j.query_id into _problem
    from jsonb_to_recordset(judgments) j (query_id text)
    where j.query_id not in (select q.query_id from jsonb_to_recordset(queries) q (query_id text))
    limit 1;
    if found then
        raise exception using
            errcode = '22023',
            message = format('query_id %s is judged, but not among the queries', _problem);
    end if;
end
$$;

comment on function rag_internal.check_dataset(jsonb, jsonb) is
    '22023 for the first query or judgment that is malformed, for a query_id given twice, and for '
    'judgments of queries that there are not.';
alter function rag_internal.check_dataset(jsonb, jsonb) owner to rag_owner;
revoke all on function rag_internal.check_dataset(jsonb, jsonb) from public;
