-- Refuses a question or a page that no search could answer.
create or replace function rag_internal.check_search(request rag_internal.search_request)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _wrong text;
begin
    -- a vector can stand for the words where only meaning is asked for
    if (request).query_vector is null
       or coalesce((request).strategy, '') not in ('semantic', 'dense', 'vector')
       or not rag_internal.is_blank((request).query) then
        perform rag_internal.check_query((request).query);
    end if;
    if coalesce((request).top_k, 0) < 1 then
        raise exception using
            errcode = '22023',
            message = format('top_k is %s, but must be 1 or more',
                             coalesce((request).top_k::text, 'null')),
            hint    = 'It has no upper limit.';
    elsif coalesce((request).skip, -1) < 0 then
        raise exception using
            errcode = '22023',
            message = format('skip is %s, but must be 0 or more',
                             coalesce((request).skip::text, 'null')),
            hint    = 'The second page of 10 is top_k => 10, skip => 10.';
    end if;
    perform rag_internal.check_search_options(jsonb_strip_nulls(jsonb_build_object(
        'fusion', (request).fusion, 'candidates', (request).candidates,
        'max_distance', (request).max_distance, 'rerank', (request).rerank,
        'rerank_candidates', (request).rerank_candidates, 'expand', (request).expand,
        'max_per_document', (request).max_per_document)));
    -- these may be no numbers at all, which JSON does not have
    select format('%s is %s, but must be from 0 to 1', n.name, n.value) into _wrong
    from (values ('min_relevance', (request).min_relevance), ('gate', (request).gate),
                 ('mmr_lambda', (request).mmr_lambda)) n (name, value)
    where not n.value between 0 and 1
    limit 1;
    if found then
        raise exception using errcode = '22023', message = _wrong;
    elsif (request).min_score = 'NaN' then
        raise exception using errcode = '22023', message = 'min_score is no number';
    elsif (request).as_of not between '4000-01-01 BC' and '200000-01-01' then
        raise exception using
            errcode = '22023',
            message = format('as_of is %s, but must be a moment', (request).as_of),
            hint    = 'as_of => now() - interval ''1 year''';
    elsif (request).min_updated_at > (request).max_updated_at then
        raise exception using
            errcode = '22023',
            message = 'min_updated_at is after max_updated_at';
    end if;
end
$$;

comment on function rag_internal.check_search(rag_internal.search_request) is
    '22023 for a blank or overlong query, and for arguments out of range.';
alter function rag_internal.check_search(rag_internal.search_request) owner to rag_owner;
revoke all on function rag_internal.check_search(rag_internal.search_request) from public;
