-- Moments as the engine compares them.
create or replace function rag_internal.microseconds(moment timestamptz) returns bigint
language sql immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select case moment when 'infinity' then 9223372036854775807
                       when '-infinity' then -9223372036854775807
                       else least(extract(epoch from moment) * 1000000, 9223372036854775806)::bigint
           end
$$;

comment on function rag_internal.microseconds(timestamptz) is
    'Microseconds since 1970; the ends of bigint for the infinities, null for null.';
alter function rag_internal.microseconds(timestamptz) owner to rag_owner;
revoke all on function rag_internal.microseconds(timestamptz) from public;
