-- A passage with what stands around it: its section, or the passages before and after it. Cut out
-- of the document, so that what neighbours share is there once.
create or replace function rag_internal.expand_passage(
    document_id      uuid,
    chunk_index      integer,
    expand           text,
    out content      text,
    out start_offset integer,
    out end_offset   integer
)
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
declare
    _most constant integer := 12000;
    _from integer;
    _to integer;
    _passage record;
begin
    select c.start_offset, c.end_offset, c.section_start, c.section_end
    into _passage
    from rag_internal.chunk c
    where c.document_id = expand_passage.document_id
      and c.chunk_index = expand_passage.chunk_index;
    if not found then
        return;
    end if;
    start_offset := _passage.start_offset;
    end_offset := _passage.end_offset;
    if expand = 'section' and _passage.section_end > _passage.section_start then
        _from := least(_passage.section_start, start_offset);
        _to := greatest(_passage.section_end, end_offset);
    end if;

    if expand = 'section' and _to - _from <= _most then
        start_offset := _from;
        end_offset := _to;
    elsif expand in ('section', 'neighbours') then
        -- of a section that is too long, the passages nearest to this one
        for _passage in
            select c.start_offset, c.end_offset
            from rag_internal.chunk c
            where c.document_id = expand_passage.document_id
              and c.chunk_index between expand_passage.chunk_index - 100
                                    and expand_passage.chunk_index + 100
              and c.chunk_index <> expand_passage.chunk_index
              and (_to is null and abs(c.chunk_index - expand_passage.chunk_index) = 1
                   or c.start_offset >= _from and c.end_offset <= _to)
            order by abs(c.chunk_index - expand_passage.chunk_index), c.chunk_index
        loop
            continue when greatest(end_offset, _passage.end_offset)
                          - least(start_offset, _passage.start_offset) > _most;
            start_offset := least(start_offset, _passage.start_offset);
            end_offset := greatest(end_offset, _passage.end_offset);
        end loop;
    end if;
    content := (select substr(d.content, start_offset + 1, end_offset - start_offset)
                from rag_internal.document d
                where d.document_id = expand_passage.document_id);
end
$$;

comment on function rag_internal.expand_passage(uuid, integer, text) is
    'expand: section (that of the passage; its neighbours where it has none), neighbours, or '
    'chunk, which is the passage alone. At most 12,000 characters: beyond, as many of the nearest '
    'passages as fit. Null where there is no such passage.';
alter function rag_internal.expand_passage(uuid, integer, text) owner to rag_owner;
revoke all on function rag_internal.expand_passage(uuid, integer, text) from public;
