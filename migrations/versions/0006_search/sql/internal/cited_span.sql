-- Where the text of a citation stands in its document now, and whether the citation can be believed
-- by who asks: by plain hashes only who reads the collection as it is, or they would prove a guess
-- at what is redacted.
create or replace function rag_internal.cited_span(
    document      rag_internal.document,
    document_hash text,
    passage_hash  text,
    start_offset  integer,
    end_offset    integer,
    is_redacted   boolean
) returns integer
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _keyed text := left(encode(rag_internal.keyed_hash((document).content_hash), 'hex'), 16);
    _secret bytea;
    _found integer;
begin
    if passage_hash is null then
        -- a citation from before passages had hashes
        return case when document_hash = _keyed
                      or not is_redacted
                         and document_hash = left(encode((document).content_hash, 'hex'), 16)
                    then start_offset end;
    end if;
    if not is_redacted then
        _found := rag_internal.find_passage((document).content, passage_hash,
                                            end_offset - start_offset, start_offset, null);
    end if;
    if _found is null then
        _secret := (select k.secret from rag_internal.ticket_key k);
        _found := rag_internal.find_passage((document).content, passage_hash,
                                            end_offset - start_offset, start_offset, _secret);
    end if;
    return _found;
end
$$;

comment on function rag_internal.cited_span(rag_internal.document, text, text, integer, integer,
    boolean) is
    'Where the cited text begins; null where it is gone, or where its hash cannot be checked.';
alter function rag_internal.cited_span(rag_internal.document, text, text, integer, integer, boolean)
    owner to rag_owner;
revoke all on function rag_internal.cited_span(rag_internal.document, text, text, integer, integer,
    boolean) from public;
