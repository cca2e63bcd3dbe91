-- What of a hit a context is written from. Lines of an expanded passage are counted in its
-- document, since redacted text may have others.
create or replace function rag_internal.context_hit(hit rag.hit) returns jsonb
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _start_line integer := hit.start_line;
    _end_line integer := hit.end_line;
begin
    if hit.expanded is not null then
        select hit.start_line
                   - rag_internal.line_breaks(
                         substr(d.content, hit.expanded_start + 1,
                                hit.start_offset - hit.expanded_start)),
               hit.start_line
                   - rag_internal.line_breaks(
                         substr(d.content, hit.expanded_start + 1,
                                hit.start_offset - hit.expanded_start))
                   + rag_internal.line_breaks(
                         rtrim(substr(d.content, hit.expanded_start + 1,
                                      hit.expanded_end - hit.expanded_start), E'\n'))
        into _start_line, _end_line
        from rag_internal.document d
        where d.document_id = hit.document_id;
    end if;
    return jsonb_build_object(
        'document_id', hit.document_id, 'chunk_index', hit.chunk_index,
        'collection', hit.collection, 'source', hit.source, 'version', hit.version,
        'title', hit.title, 'heading', hit.heading, 'page', hit.page,
        'content', coalesce(hit.expanded, hit.content),
        'start_offset', coalesce(hit.expanded_start, hit.start_offset),
        'end_offset', coalesce(hit.expanded_end, hit.end_offset),
        'start_line', _start_line, 'end_line', _end_line,
        'rank', hit.rank, 'score', hit.score, 'rerank_score', hit.rerank_score,
        'citation', hit.citation);
end
$$;

comment on function rag_internal.context_hit(rag.hit) is
    'The hit, or the expanded passage in its place.';
alter function rag_internal.context_hit(rag.hit) owner to rag_owner;
revoke all on function rag_internal.context_hit(rag.hit) from public;
