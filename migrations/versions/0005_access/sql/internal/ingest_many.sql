-- Stores several documents, all or none.
create or replace function rag_internal.ingest_many(
    who        name,
    ticket     bytea,
    collection text,
    documents  jsonb,
    embed      text
) returns setof rag.ingested
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _known text[] := array['content', 'source', 'title', 'tags', 'metadata', 'readers', 'version',
                           'language', 'mime', 'valid_from', 'valid_until', 'strategy',
                           'chunk_size', 'overlap', 'min_chunk_size', 'security_level'];
    _sizes text[] := array['chunk_size', 'overlap', 'min_chunk_size', 'security_level'];
    _document jsonb;
    _number bigint;
    _unknown text;
    _ingested rag.ingested[] := '{}';
    _job_id bigint;
begin
    if jsonb_typeof(documents) is distinct from 'array' then
        raise exception using
            errcode = '22023',
            message = 'documents is not a JSON array of objects',
            hint    = 'For example: [{"content": "...", "source": "a.md"}].';
    end if;
    for _document, _number in
        select e, n from jsonb_array_elements(documents) with ordinality t (e, n)
    loop
        if jsonb_typeof(_document) <> 'object' then
            raise exception using
                errcode = '22023',
                message = format('document %s is not a JSON object', _number);
        end if;
        select string_agg(k, ', ' order by k) into _unknown
        from jsonb_object_keys(_document) k
        where k <> all (_known);
        if _unknown is not null then
            raise exception using
                errcode = '22023',
                message = format('document %s has unknown keys: %s', _number, left(_unknown, 200)),
                hint    = format('Known keys: %s.', array_to_string(_known, ', '));
        end if;
        if jsonb_path_exists(
               _document - array['tags', 'metadata', 'readers'] - _sizes,
               'strict $.* ? (@.type() != "string" && @.type() != "null")')
           or exists (select from unnest(_sizes) s (name)
                      where _document ->> s.name !~ '^-?\d{1,9}$') then
            raise exception using
                errcode = '22023',
                message = format('document %s has a value of the wrong type', _number),
                hint    = 'Only tags and readers are arrays, metadata an object, and sizes '
                          'whole numbers.';
        end if;
        _ingested := _ingested || rag_internal.ingest(
            who, ticket, ingest_many.collection, _document ->> 'content', _document ->> 'source',
            _document ->> 'title', rag_internal.text_array(_document -> 'tags'),
            nullif(_document -> 'metadata', 'null'),
            rag_internal.text_array(_document -> 'readers'),
            _document ->> 'version', _document ->> 'language', _document ->> 'mime',
            (_document ->> 'valid_from')::timestamptz, (_document ->> 'valid_until')::timestamptz,
            _document ->> 'strategy', (_document ->> 'chunk_size')::integer,
            (_document ->> 'overlap')::integer, (_document ->> 'min_chunk_size')::integer,
            ingest_many.embed, (_document ->> 'security_level')::integer);
    end loop;
    _job_id := rag_internal.merge_jobs(array(
        select i.job_id from unnest(_ingested) i where i.job_id is not null));
    return query
        select i.document_id, i.status, i.chunks_created,
               case when i.job_id is not null then _job_id end, i.words_skipped
        from unnest(_ingested) with ordinality
             i (document_id, status, chunks_created, job_id, words_skipped, number)
        order by i.number;
end
$$;

comment on function rag_internal.ingest_many(name, bytea, text, jsonb, text) is
    'See rag.ingest_many.';
alter function rag_internal.ingest_many(name, bytea, text, jsonb, text) owner to rag_owner;
revoke all on function rag_internal.ingest_many(name, bytea, text, jsonb, text) from public;
grant execute on function rag_internal.ingest_many(name, bytea, text, jsonb, text) to rag_writer;
