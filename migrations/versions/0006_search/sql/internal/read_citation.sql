-- Takes a citation apart.
create or replace function rag_internal.read_citation(
    citation          text,
    out document_id   uuid,
    out chunk_index   integer,
    out document_hash text,
    out passage_hash  text,
    out start_offset  integer,
    out end_offset    integer
)
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _most constant bigint := 2147483647;
    _parts text[] := regexp_match(
        btrim(citation),
        '^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/([0-9]{1,10})'
        '@([0-9a-f]{16})(?:\.([0-9a-f]{16}))?:([0-9]{1,10})-([0-9]{1,10})$');
begin
    if _parts is null
       or greatest(_parts[2]::bigint, _parts[5]::bigint, _parts[6]::bigint) > _most
       or _parts[5]::bigint >= _parts[6]::bigint then
        raise exception using
            errcode = '22023',
            message = format('"%s" is no citation', left(citation, 200)),
            hint    = 'Give the citation of a hit, document/chunk@hash.hash:start-end.';
    end if;
    document_id := _parts[1];
    chunk_index := _parts[2];
    document_hash := _parts[3];
    passage_hash := _parts[4];
    start_offset := _parts[5];
    end_offset := _parts[6];
end
$$;

comment on function rag_internal.read_citation(text) is
    'What rag_internal.citation put together; passage_hash null in one of before 0006. Anything '
    'else is 22023.';
alter function rag_internal.read_citation(text) owner to rag_owner;
revoke all on function rag_internal.read_citation(text) from public;
