-- What of a passage matched a query: marked in its text, and as places in its document.
create or replace function rag_internal.marked_passage(
    content      text,
    start_offset integer,
    query        text,
    text_config  text,
    out marked   text,
    out matches  jsonb
)
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _found rag_internal.highlighted := rag_internal.highlight(marked_passage.content,
                                                              marked_passage.query,
                                                              marked_passage.text_config);
begin
    marked := _found.marked;
    matches := coalesce((
        select jsonb_agg(jsonb_build_array(start_offset + _found.matches[i],
                                           start_offset + _found.matches[i + 1]) order by i)
        from generate_series(1, cardinality(_found.matches), 2) i), '[]');
end
$$;

comment on function rag_internal.marked_passage(text, integer, text, text) is
    'marked: the content with <mark>...</mark> around what matched. matches: [[start, end], ...] '
    'in characters of the document, end exclusive.';
alter function rag_internal.marked_passage(text, integer, text, text) owner to rag_owner;
revoke all on function rag_internal.marked_passage(text, integer, text, text) from public;
