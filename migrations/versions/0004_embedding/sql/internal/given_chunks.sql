-- Passages that were cut elsewhere, with the vectors that came with them. They are looked for in
-- the bytes of the content: to skip characters takes time for each of them, bytes are skipped at
-- once.
create or replace function rag_internal.given_chunks(
    chunks  jsonb,
    content text,
    model   rag_internal.model
) returns rag_internal.prepared_chunk[]
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _known constant text[] := array['content', 'embedding', 'embed_text', 'heading', 'kind'];
    _chunk jsonb;
    _number integer;
    _problem text;
    _bytes bytea := convert_to(content, 'UTF8');
    _from_byte integer := 0;
    _from integer := 0;
    _sought bytea;
    _reach bigint;
    _at integer;
    _before text;
    _start integer;
    _end integer;
    _line integer := 1;
    _end_line integer;
    _prepared rag_internal.prepared_chunk[] := '{}';
begin
    for _chunk, _number in
        select e, n from jsonb_array_elements(chunks) with ordinality t (e, n)
    loop
        _problem := case
            when jsonb_typeof(_chunk) <> 'object' then 'is not a JSON object'
            when coalesce(jsonb_typeof(_chunk -> 'content'), '') <> 'string'
                 or _chunk ->> 'content' !~ '[[:graph:]]' then 'has no content'
            when exists (select from jsonb_object_keys(_chunk) k where k <> all (_known))
                then 'has unknown keys: ' || left((select string_agg(k, ', ' order by k)
                                                   from jsonb_object_keys(_chunk) k
                                                   where k <> all (_known)), 200)
            when _chunk ? 'embedding' and model.model_id is null
                then 'has a vector, but the collection has no model'
            when exists (select from unnest(array['embed_text', 'kind']) s (name)
                         where jsonb_typeof(_chunk -> s.name) not in ('string', 'null'))
                 or jsonb_typeof(_chunk -> 'heading') not in ('array', 'null')
                 or jsonb_path_exists(_chunk, '$.heading[*] ? (@.type() != "string")')
                 or jsonb_typeof(_chunk -> 'embedding') not in ('array', 'null')
                 or jsonb_path_exists(
                     _chunk, 'strict $.embedding[*] ? (@.type() != "number")', '{}', true)
                then 'has a value of the wrong type'
            end;
        if _problem is null then
            _sought := convert_to(_chunk ->> 'content', 'UTF8');
            _reach := octet_length(_sought) + 1024;
            loop
                _at := position(_sought in substring(_bytes from _from_byte + 1
                                                     for _reach::integer));
                exit when _at > 0 or _from_byte + _reach >= octet_length(_bytes);
                _reach := least(4 * _reach, octet_length(_bytes));
            end loop;
            _problem := case when _at = 0
                             then 'is not found in content after the one before it' end;
        end if;
        if _problem is not null then
            raise exception using
                errcode = '22023',
                message = format('chunk %s %s', _number, _problem),
                hint    = format('Keys: %s. Chunks follow each other in content, may overlap, and '
                                 'are found there character for character.',
                                 array_to_string(_known, ', '));
        end if;
        _before := convert_from(substring(_bytes from _from_byte + 1 for _at - 1), 'UTF8');
        _start := _from + length(_before);
        _end := _start + length(_chunk ->> 'content');
        _line := _line + rag_internal.line_breaks(_before);
        _end_line := _line + rag_internal.line_breaks(
            rtrim(_chunk ->> 'content', E'\n'));
        _prepared := _prepared || row(
            row(_number - 1, _chunk ->> 'content', _start, _end, _line, _end_line,
                coalesce(rag_internal.text_array(nullif(_chunk -> 'heading', 'null')), '{}'),
                null, null, coalesce(_chunk ->> 'kind', 'prose'), null, null,
                _chunk ->> 'embed_text')::rag.text_chunk,
            null,
            rag_internal.check_vector(
                nullif(_chunk -> 'embedding', 'null')::text::@extschema:vector@.vector, model,
                format('the vector of chunk %s', _number)),
            null)::rag_internal.prepared_chunk;
        -- the next may begin within this one, but not where it begins
        _line := _line + rag_internal.line_breaks(left(_chunk ->> 'content', 1));
        _from := _start + 1;
        _from_byte := _from_byte + _at - 1
                   + octet_length(convert_to(left(_chunk ->> 'content', 1), 'UTF8'));
    end loop;
    return _prepared;
end
$$;

comment on function rag_internal.given_chunks(jsonb, text, rag_internal.model) is
    'Passages with their places in content, and vectors scaled to length 1; 22023 for what is not '
    'as rag.ingest_chunks says.';
alter function rag_internal.given_chunks(jsonb, text, rag_internal.model) owner to rag_owner;
revoke all on function rag_internal.given_chunks(jsonb, text, rag_internal.model) from public;
