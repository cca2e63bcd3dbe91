-- What a citation stands for now, redacted for who asks. A passage that is gone gives its place to
-- the one that overlaps it most, or stands nearest.
create or replace function rag_internal.resolve_citation(
    who      name,
    ticket   bytea,
    citation text,
    token    text
) returns rag.resolved_citation
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
#variable_conflict use_column
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket, token);
    _cited record := rag_internal.read_citation(citation);
    _redacted bigint[] := rag_internal.redacted_collections(_identity);
    _document rag_internal.document;
    _chunk rag_internal.chunk;
    _redaction rag_internal.redaction;
    _result rag.resolved_citation;
    _start integer;
    _end integer;
begin
    select d.* into _document
    from rag_internal.document d
    where d.document_id = _cited.document_id
      and d.acl_id in (select rag_internal.visible_acls(_identity, array[d.acl_id]));
    if not found then
        raise exception using
            errcode = 'P0002',
            message = format('document %s does not exist or is not visible to you',
                             _cited.document_id),
            hint    = 'Search again: what is cited has been removed, or is not shared with you.';
    end if;

    _start := rag_internal.cited_span(
        _document, _cited.document_hash, _cited.passage_hash, _cited.start_offset,
        _cited.end_offset, _document.collection_id = any (_redacted));
    _end := coalesce(_start, _cited.start_offset) + (_cited.end_offset - _cited.start_offset);
    select c.* into _chunk
    from rag_internal.chunk c
    where c.document_id = _document.document_id
    order by greatest(c.start_offset, coalesce(_start, _cited.start_offset))
             - least(c.end_offset, _end),
             abs(c.chunk_index - _cited.chunk_index), c.chunk_index
    limit 1;

    _result.status := case _start when _cited.start_offset then 'current' else 'moved' end;
    if _start is null then
        _result.status := 'changed';
        _start := _chunk.start_offset;
        _end := _chunk.end_offset;
    end if;
    _result.content := substr(_document.content, _start + 1, _end - _start);
    _result.start_line := 1 + rag_internal.line_breaks(left(_document.content, _start));
    _result.end_line := _result.start_line
                      + rag_internal.line_breaks(rtrim(_result.content, E'\n'));
    _result.document_id := _document.document_id;
    _result.chunk_index := _chunk.chunk_index;
    _result.collection := (select k.name from rag_internal.collection k
                           where k.collection_id = _document.collection_id);
    _result.source := _document.source;
    _result.version := _document.version;
    _result.title := _document.title;
    _result.start_offset := _start;
    _result.end_offset := _end;
    _result.page := _chunk.page;
    if _document.collection_id = any (_redacted) then
        _redaction := rag_internal.redaction_of(_document, rag_internal.redaction_rules(_redacted));
        _result.content := rag_internal.withhold(
            _redaction.rules,
            rag_internal.redact_passage(_redaction, _result.content, _start));
        _result.source := rag_internal.withhold(
            _redaction.rules, rag_internal.redact_label(_redaction, _result.source));
        _result.version := rag_internal.withhold(
            _redaction.rules, rag_internal.redact_label(_redaction, _result.version));
        _result.title := rag_internal.withhold(
            _redaction.rules, rag_internal.redact_label(_redaction, _result.title));
    end if;
    return _result;
end
$$;

comment on function rag_internal.resolve_citation(name, bytea, text, text) is
    'See rag.resolve_citation.';
alter function rag_internal.resolve_citation(name, bytea, text, text) owner to rag_owner;
revoke all on function rag_internal.resolve_citation(name, bytea, text, text) from public;
grant execute on function rag_internal.resolve_citation(name, bytea, text, text) to rag_reader;
