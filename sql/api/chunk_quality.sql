-- Measures how well a document, or a collection, is cut.
create or replace function rag.chunk_quality(
    document_id uuid default null,
    collection  text default null
) returns rag.chunking_quality
language sql stable parallel unsafe
begin atomic
    select rag_internal.chunk_quality(c.who, c.ticket, chunk_quality.document_id,
                                      chunk_quality.collection)
    from rag_internal.caller c;
end;

comment on function rag.chunk_quality(uuid, text) is
    'How well a document, or what the caller can see of a collection, is cut: split_fences, '
    'split_tables, cut_lists and cut_sentences count what was cut in two; within_size is the '
    'share of passages of the size asked for, give or take half; coverage the share of '
    'characters other than white space in some passage. P0002 for what the caller does not see.';
alter function rag.chunk_quality(uuid, text) owner to rag_owner;
revoke all on function rag.chunk_quality(uuid, text) from public;
grant execute on function rag.chunk_quality(uuid, text) to rag_reader;
