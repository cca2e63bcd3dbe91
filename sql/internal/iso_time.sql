-- A time as filters compare it: text that sorts as time does.
create or replace function rag_internal.iso_time(moment timestamptz) returns text
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select case when isfinite(moment)
                then to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
                else moment::text end
$$;

comment on function rag_internal.iso_time(timestamptz) is
    'UTC in ISO 8601, seconds cut off; infinity and -infinity by these words.';
alter function rag_internal.iso_time(timestamptz) owner to rag_owner;
revoke all on function rag_internal.iso_time(timestamptz) from public;
