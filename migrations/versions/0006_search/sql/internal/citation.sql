-- How a passage is cited: where it stands, and hashes by which rag.resolve_citation finds out
-- whether it still does, and where else.
create or replace function rag_internal.citation(
    document_id  uuid,
    chunk_index  integer,
    content_hash bytea,
    content      text,
    start_offset integer,
    end_offset   integer,
    keyed        boolean default false
) returns text
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    _document bytea := content_hash;
    _passage bytea := sha256(convert_to(content, 'UTF8'));
begin
    if keyed then
        _document := rag_internal.keyed_hash(_document);
        _passage := rag_internal.keyed_hash(_passage);
    end if;
    return format('%s/%s@%s.%s:%s-%s', document_id, chunk_index,
                  left(encode(_document, 'hex'), 16), left(encode(_passage, 'hex'), 16),
                  start_offset, end_offset);
end
$$;

comment on function rag_internal.citation(uuid, integer, bytea, text, integer, integer, boolean) is
    'document/chunk@hash.hash:start-end: the hashes of the whole document and of the passage. '
    'keyed: for a reader who may read the passage redacted only, and must not guess at it.';
alter function rag_internal.citation(uuid, integer, bytea, text, integer, integer, boolean) owner to
    rag_owner;
revoke all on function rag_internal.citation(uuid, integer, bytea, text, integer, integer, boolean)
    from public;
