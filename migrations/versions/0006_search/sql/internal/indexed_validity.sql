-- The validity that the lexical index has of a document. That of an archived one ends before it
-- begins: no moment lies within it, and both ends are known all the same.
create or replace function rag_internal.indexed_validity(
    status      text,
    valid_from  timestamptz,
    valid_until timestamptz,
    out starts  timestamptz,
    out ends    timestamptz
)
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select case status when 'archived' then coalesce(valid_until, 'infinity') else valid_from end,
           case status when 'archived' then coalesce(valid_from, '-infinity') else valid_until end
$$;

comment on function rag_internal.indexed_validity(text, timestamptz, timestamptz) is
    'valid_from and valid_until, of an archived document the other way round.';
alter function rag_internal.indexed_validity(text, timestamptz, timestamptz) owner to rag_owner;
revoke all on function rag_internal.indexed_validity(text, timestamptz, timestamptz) from public;
